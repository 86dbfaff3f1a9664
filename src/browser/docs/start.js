// Draws the API page. A separate file lets the Content-Security-Policy forbid inline scripts.

const darkScheme = window.matchMedia('(prefers-color-scheme: dark)')

/** Swagger UI takes dark mode from a class on the root element. */
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
  // Keeps tokens in this tab only.
  persistAuthorization: false,
  // The default sends the document's URL to an online validator.
  validatorUrl: null,
})
