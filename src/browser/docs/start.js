// Draws the API page. A separate file lets the Content-Security-Policy forbid inline scripts.

const darkScheme = window.matchMedia('(prefers-color-scheme: dark)')

/** Swagger UI takes dark mode from a class on the root element. */
const followScheme = () => document.documentElement.classList.toggle('dark-mode', darkScheme.matches)

followScheme()
darkScheme.addEventListener('change', followScheme)

/** Opens two groups, and the search that works without a picture unless the link names something else. */
const OPEN = new Set(['operations-tag/Search', 'operations-tag/Products'])
if (window.location.hash.length < 2) OPEN.add('operations/Search/searchByText')

/** Requests go to the origin of this page, by whatever name it was reached: its policy allows no other one. */
const toThisOrigin = (document) => ({ ...document, servers: [{ url: window.location.origin }] })

/** Shows failures closed: each has a real example, and nine of them are longer than the rest of the operation. */
const createResponseRow = (Original, { React, getComponent }) =>
  function ResponseRow(props) {
    if (Number(props.code) < 400) return React.createElement(Original, props)
    const Markdown = getComponent('Markdown', true)
    const example = props.response.getIn(['content', 'application/json', 'example'])
    const cell = (name, ...children) => React.createElement('td', { className: name }, ...children)
    return React.createElement(
      'tr',
      { className: `response ${props.className ?? ''}`, 'data-code': props.code },
      cell('response-col_status', props.code),
      cell(
        'response-col_description',
        React.createElement(Markdown, { source: props.response.get('description') }),
        example &&
          React.createElement(
            'details',
            { className: 'failure-example' },
            React.createElement('summary', null, 'Example'),
            React.createElement('pre', null, JSON.stringify(example.toJS(), null, 2)),
          ),
      ),
    )
  }

/** Swagger UI asks with every drawing; a new component each time would be mounted anew, which asks for a drawing. */
let responseRow
const closeFailures = (Original, system) => {
  responseRow ??= createResponseRow(Original, system)
  return responseRow
}

/** The way in of this document that a newcomer needs: the credentials that setup has printed. */
const FIRST_WAY = 'oauth2'

/** Folds each way to sign in to one line, except the first to try: four of them fill three phones. */
const foldWay = (Original, { React }) =>
  function Way(props) {
    const isFirst = props.name === FIRST_WAY
    return React.createElement(
      'details',
      { className: 'way', open: isFirst },
      React.createElement('summary', null, props.name),
      React.createElement(Original, props),
    )
  }

const tuning = () => ({
  afterLoad() {
    const { getSampleSchema } = this.fn
    // Swagger UI asks without a media type for the fields of a form. "string" in each of them would filter everything out;
    // an empty field is not sent.
    this.fn.getSampleSchema = (schema, mediaType, ...rest) => {
      if (mediaType !== false) return getSampleSchema(schema, mediaType, ...rest)
      return schema?.get?.('type') === 'array' ? [] : ''
    }
  },
  wrapComponents: { response: closeFailures, AuthItem: foldWay, oauth2: foldWay },
  statePlugins: {
    spec: {
      wrapActions: {
        updateJsonSpec: (original) => (document) => original(toThisOrigin(document)),
      },
    },
    layout: {
      wrapSelectors: {
        // The wrapped selector brings the state itself.
        isShown: (original) => (_state, thing, fallback) =>
          original(thing, OPEN.has([thing].flat().join('/')) || fallback),
      },
    },
  },
})

window.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#api',
  layout: 'BaseLayout',
  plugins: [tuning],
  deepLinking: true,
  docExpansion: 'none',
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0,
  filter: true,
  displayRequestDuration: true,
  requestSnippetsEnabled: true,
  // Keeps tokens in this tab only.
  persistAuthorization: false,
  // The default sends the document's URL to an online validator.
  validatorUrl: null,
})
