// Draws the API page. A file of its own, so that the Content-Security-Policy needs no inline script.

const darkScheme = window.matchMedia('(prefers-color-scheme: dark)')

/** Swagger UI knows dark mode only as a class on the root element. */
const followScheme = () => document.documentElement.classList.toggle('dark-mode', darkScheme.matches)

followScheme()
darkScheme.addEventListener('change', followScheme)

window.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#api',
  layout: 'BaseLayout',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  filter: true,
  displayRequestDuration: true,
  requestSnippetsEnabled: true,
  // Tokens live in this tab only.
  persistAuthorization: false,
  // The default sends the document's address to an online validator.
  validatorUrl: null,
})
