// The reference is readable without this script. The script adds the filter of operations, the buttons, the address of the
// server in the samples, and the mark of the current operation in the navigation.

const page = document.documentElement
const navigation = document.getElementById('navigation')
const search = document.getElementById('search')
const items = [...navigation.querySelectorAll('li')]
const groups = [...navigation.querySelectorAll('details')]

const store = (name, value) => {
  try {
    if (value === undefined) localStorage.removeItem(`flowpost-docs-${name}`)
    else localStorage.setItem(`flowpost-docs-${name}`, value)
  } catch {
    // The browser blocks local storage, so the choice lasts only until the next page.
  }
}

// The address at which the reader opened this server, including the path prefix of a proxy. It replaces the placeholders in
// the samples.
const server = new URL(page.dataset.root, location.href).href.replace(/\/$/, '')
for (const variable of document.querySelectorAll('.code-variable'))
  if (variable.textContent === '$FLOWPOST_BASE_URL') variable.textContent = server
for (const text of document.querySelectorAll('.code-string'))
  if (text.textContent === '"https://flowpost.example.com"') text.textContent = `"${server}"`

// Theme: follows the system until the reader chooses another one.

const theme = document.getElementById('theme')
const systemIsDark = matchMedia('(prefers-color-scheme: dark)')
const isDark = () => (page.dataset.theme ?? (systemIsDark.matches ? 'dark' : 'light')) === 'dark'
const showTheme = () => theme.setAttribute('aria-pressed', String(isDark()))
theme.addEventListener('click', () => {
  const next = isDark() ? 'light' : 'dark'
  if (next === (systemIsDark.matches ? 'dark' : 'light')) delete page.dataset.theme
  else page.dataset.theme = next
  store('theme', page.dataset.theme)
  showTheme()
})
systemIsDark.addEventListener('change', showTheme)
showTheme()

// Language of the samples

const languageButtons = [...document.querySelectorAll('[data-select-language]')]
const showLanguage = () => {
  for (const button of languageButtons) button.setAttribute('aria-pressed', String(button.dataset.selectLanguage === page.dataset.language))
}
for (const button of languageButtons)
  button.addEventListener('click', () => {
    // Samples above the button may become longer or shorter. The button must stay where it is.
    const top = button.getBoundingClientRect().top
    page.dataset.language = button.dataset.selectLanguage
    store('language', page.dataset.language)
    showLanguage()
    scrollBy({ top: button.getBoundingClientRect().top - top, behavior: 'instant' })
  })
showLanguage()

// Copying

const copyText = async (text) => {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  // Browsers have no clipboard API on a page that was loaded over HTTP from another machine.
  const field = document.createElement('textarea')
  field.value = text
  document.body.append(field)
  field.select()
  const copied = document.execCommand('copy')
  field.remove()
  if (!copied) throw new Error('The browser does not permit copying.')
}

for (const button of document.querySelectorAll('.copy'))
  button.addEventListener('click', async () => {
    const shown = [...button.closest('.panel').querySelectorAll('pre')].find((block) => block.checkVisibility())
    try {
      await copyText(shown.textContent)
      button.textContent = 'Copied'
    } catch {
      button.textContent = 'Failed'
    }
    button.focus()
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 2000)
  })

// Filter of operations

const result = document.getElementById('search-result')
const openBefore = new Map(groups.map((group) => [group, group.open]))

const filter = () => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean)
  for (const item of items) item.hidden = !words.every((word) => item.dataset.words.includes(word))
  for (const group of groups) {
    const isEmpty = group.querySelector('li:not([hidden])') === null
    group.hidden = isEmpty
    group.open = words.length > 0 ? !isEmpty : openBefore.get(group)
  }
  for (const link of navigation.querySelectorAll('.nav-page')) link.hidden = words.length > 0
  const count = items.filter((item) => !item.hidden).length
  result.textContent = words.length === 0 ? '' : `${count} ${count === 1 ? 'operation' : 'operations'}`
  navigation.classList.toggle('no-match', count === 0)
}

const clearFilter = () => {
  search.value = ''
  filter()
}

const visibleLinks = () => items.filter((item) => !item.hidden && item.closest('details').open).map((item) => item.querySelector('a'))

search.addEventListener('input', filter)
navigation.addEventListener('keydown', (event) => {
  const links = visibleLinks()
  const at = links.indexOf(document.activeElement)
  if (event.key === 'Enter' && event.target === search && search.value !== '') links[0]?.click()
  else if (event.key === 'ArrowDown' && (at >= 0 || event.target === search)) links[at + 1]?.focus()
  else if (event.key === 'ArrowUp' && at >= 0) (links[at - 1] ?? search).focus()
  else if (event.key === 'Escape' && search.value !== '') {
    clearFilter()
    search.focus()
  } else return
  event.preventDefault()
})

// Menu in narrow windows

const menu = document.getElementById('menu')
// The same width as in docs-layout.css.
const isNarrow = matchMedia('(width < 56rem)')
const showMenu = (isOpen) => {
  page.classList.toggle('menu-open', isOpen)
  menu.setAttribute('aria-expanded', String(isOpen))
  // The open menu covers the content, which must not get the focus.
  document.getElementById('main').inert = isOpen && isNarrow.matches
}
menu.addEventListener('click', () => showMenu(menu.getAttribute('aria-expanded') === 'false'))
isNarrow.addEventListener('change', () => showMenu(false))
document.addEventListener('click', ({ target }) => {
  if (target.closest('a')) showMenu(false)
})

document.addEventListener('keydown', (event) => {
  const isTyping = document.activeElement.matches('input, textarea')
  if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault()
    showMenu(true)
    search.focus()
    search.select()
  } else if (event.key === 'Escape' && !event.defaultPrevented && page.classList.contains('menu-open')) {
    showMenu(false)
    menu.focus()
  }
})

// Current operation

const linksByHash = new Map(items.map((item) => item.querySelector('a')).map((link) => [link.getAttribute('href'), link]))
const mark = (section) => {
  for (const [hash, link] of linksByHash) link.toggleAttribute('data-current', hash === `#${section.id}`)
}
const observer = new IntersectionObserver(
  (entries) => {
    const entered = entries.find((entry) => entry.isIntersecting)
    if (entered) mark(entered.target)
  },
  // Reduces the observed area to a horizontal line, 25% below the top of the window. The operation at that line becomes the
  // current one.
  { rootMargin: '-25% 0px -75% 0px' },
)
for (const section of document.querySelectorAll('.operation[id]')) observer.observe(section)
