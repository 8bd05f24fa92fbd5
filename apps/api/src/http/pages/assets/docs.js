const dark = matchMedia('(prefers-color-scheme: dark)')
const applyTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', applyTheme)
applyTheme()

const root = document.getElementById('reference')

window.SwaggerUIBundle({
  domNode: root,
  url: root.dataset.document,
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  // The page sends nothing to other origins, and forgets the credential when it is closed.
  validatorUrl: null,
  queryConfigEnabled: false,
  persistAuthorization: false,
})
