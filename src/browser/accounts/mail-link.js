// Script of the pages behind the links in our mails. It reads the token from the URL, sends it with the reader's input,
// and shows the outcome. The token follows the #, which no browser sends anywhere.

const byId = (id) => document.getElementById(id)

const ask = byId('ask')
const form = byId('form')
const button = byId('send')
const problem = byId('problem')
/** Missing on pages that need no input. */
const password = byId('password')

/** The longest wait for an answer. */
const TIMEOUT_MS = 30_000

/** Reads the token. Older mails have it in the query; it moves behind the #, so that a reload does not send it. */
function takeToken() {
  const queried = new URLSearchParams(location.search).get('token')
  const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? queried
  if (location.search !== '') {
    history.replaceState(null, '', location.pathname + (token ? `#token=${encodeURIComponent(token)}` : ''))
  }
  return token
}

const token = takeToken()

/** Shows the section of an outcome instead of the form. */
function show(outcome, answer = {}) {
  for (const place of outcome.querySelectorAll('[data-fill]'))
    place.textContent = answer[place.dataset.fill] ?? ''
  const heading = outcome.querySelector('h1')
  document.title = `${heading.textContent} · Lookalike`
  ask.hidden = true
  outcome.hidden = false
  heading.focus()
}

const findOutcome = (name) => document.querySelector(`[data-outcome="${CSS.escape(name)}"]`)

/** Shows why the request failed and keeps the form for another try. */
function complain(text, isAboutPassword = false) {
  problem.textContent = text
  problem.hidden = false
  password?.setAttribute('aria-invalid', String(isAboutPassword))
  problem.focus()
}

function setBusy(isBusy) {
  button.disabled = isBusy
  button.textContent = isBusy ? button.dataset.busy : button.dataset.idle
  form.setAttribute('aria-busy', String(isBusy))
  if (password) password.readOnly = isBusy
}

/** Sends the form to the service. @returns a function that shows the answer. */
async function send() {
  const body = password ? { token, password: password.value } : { token }
  const response = await fetch(location.pathname, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify(body),
    cache: 'no-store',
    credentials: 'omit',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const answer = await response.json()
  const outcome = findOutcome(response.ok ? answer.status : answer.error)
  return outcome
    ? () => succeed(outcome, answer)
    : () => complain(describeRefusal(response, answer), response.status === 401 || response.status === 422)
}

function succeed(outcome, answer) {
  // The link is used up, so remove its token from the history.
  history.replaceState(null, '', location.pathname)
  if (password) password.value = ''
  show(outcome, answer)
}

function describeRefusal(response, { message, details }) {
  if (response.status === 429) {
    const seconds = details?.retry_after ?? 60
    return `Too many attempts. Wait ${seconds} ${seconds === 1 ? 'second' : 'seconds'}, then try again.`
  }
  if (response.status >= 500) return 'The service is unavailable. Try again in a minute.'
  const text = String(message)
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

async function submit(event) {
  event.preventDefault()
  if (button.disabled) return
  problem.hidden = true
  password?.removeAttribute('aria-invalid')
  setBusy(true)
  const finish = await send().catch(
    () => () => complain('The service did not answer. Check your connection, then try again.'),
  )
  setBusy(false)
  finish()
}

/** Lets the reader show the password. It is hidden again before sending, so that no browser saves it as plain text. */
function bindShowToggle() {
  const toggle = byId('show')
  const follow = () => {
    password.type = toggle.checked ? 'text' : 'password'
  }
  toggle.addEventListener('change', follow)
  form.addEventListener('submit', () => {
    toggle.checked = false
    follow()
  })
}

if (token) {
  if (password) bindShowToggle()
  form.addEventListener('submit', submit)
  for (const link of document.querySelectorAll('a[data-with-token]'))
    link.hash = `token=${encodeURIComponent(token)}`
  form.hidden = false
  password?.focus()
} else {
  show(findOutcome('incomplete'))
}

// Opening another link to the same page in this tab changes only the part after the #.
window.addEventListener('hashchange', () => location.reload())
