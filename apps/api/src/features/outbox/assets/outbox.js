// The outbox works without this script. The script shows times in the time zone of the reader and keeps the newest page of the
// list up to date.

const pollMs = 3000
const timeoutMs = 10_000
/** Client errors after which polling continues. */
const temporaryErrors = [408, 425, 429]
const timeFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

const showLocalTimes = (root) => {
  for (const time of root.querySelectorAll('time[datetime]')) {
    time.title = time.textContent
    time.textContent = timeFormat.format(new Date(time.dateTime))
  }
}

// Exists only on the newest page, because older pages rarely change.
const live = document.getElementById('live')

const showState = (state, text) => {
  // Screen readers announce every change of a status region, so an unchanged status is not written again.
  if (live.dataset.state === state && live.textContent === text) return
  live.dataset.state = state
  live.textContent = text
}

// The list's HTML as the server sent it, before `showLocalTimes` changed it. `showList` compares the whole list, because a
// change can be anywhere in it. Messages are ordered by acceptance time, so a message that is captured late appears among older
// ones. Erased messages disappear.
let shownMarkup = document.getElementById('messages')?.innerHTML

/** Replaces the list if it has changed. Preserves the keyboard focus, and the position of the messages in a scrolled window. */
const showList = (fresh) => {
  const shown = document.getElementById('messages')
  if (fresh.innerHTML === shownMarkup) return
  shownMarkup = fresh.innerHTML
  const focused = shown.contains(document.activeElement) ? document.activeElement : null
  const topOf = (element) => element.getBoundingClientRect().top
  const anchor =
    scrollY > 0 && [...shown.querySelectorAll('.message-subject a')].find((link) => topOf(link) >= 0 && fresh.querySelector(`#${link.id}`))
  const top = anchor && topOf(anchor)
  showLocalTimes(fresh)
  shown.replaceWith(fresh)
  if (anchor) scrollBy({ top: topOf(document.getElementById(anchor.id)) - top, behavior: 'instant' })
  if (focused) (document.getElementById(focused.id) ?? document.getElementById('main')).focus({ preventScroll: true })
}

/** Whether the reader has selected text in the list, for example to copy an id. A new list would remove the selection. */
const isTextSelected = () => {
  const selection = getSelection()
  return !selection.isCollapsed && selection.containsNode(document.getElementById('messages'), true)
}

/** Fetches the page again. Returns whether to continue polling, which is `false` after a client error that is not temporary. */
const poll = async () => {
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await fetch(location.pathname + location.search, { cache: 'no-store', signal })
    const markup = response.ok ? await response.text() : ''
    // `null` also for a successful response without a list, such as the login page of a proxy.
    const list = new DOMParser().parseFromString(markup, 'text/html').getElementById('messages')
    if (list !== null && isTextSelected()) showState('off', 'Paused while text is selected')
    else if (list !== null) {
      showList(list)
      showState('on', 'Live')
    } else if (response.status === 403) {
      // The server has restarted, so the cookie is invalid. The reloaded page explains what to do.
      location.reload()
    } else showState('off', 'Not updating')
    return response.ok || response.status >= 500 || temporaryErrors.includes(response.status)
  } catch {
    showState('off', 'Server not reachable')
    return true
  }
}

const follow = async () => {
  if (document.visibilityState === 'hidden' || (await poll())) setTimeout(follow, pollMs)
}

showLocalTimes(document)
if (live !== null) {
  showState('on', 'Live')
  setTimeout(follow, pollMs)
}
