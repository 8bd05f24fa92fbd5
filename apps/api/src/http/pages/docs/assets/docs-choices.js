// Applies the theme and the language that the reader has chosen. Runs before the page is shown, so that the page never flickers.
const root = document.documentElement
root.dataset.scripts = ''
try {
  const theme = localStorage.getItem('flowpost-docs-theme')
  if (theme !== null) root.dataset.theme = theme
  root.dataset.language = localStorage.getItem('flowpost-docs-language') ?? 'bash'
} catch {
  // The browser blocks local storage, so the choices last only until the next page.
  root.dataset.language = 'bash'
}
