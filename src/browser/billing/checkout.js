// Script of the page of a checkout: sends the operator's credentials with the confirmation and shows the outcome.

const byId = (id) => document.getElementById(id)

const ask = byId('ask')
const form = byId('form')
const button = byId('send')
const problem = byId('problem')
const code = byId('code')
const codeField = byId('code-field')
const password = byId('password')

/** The longest wait for an answer. */
const TIMEOUT_MS = 30_000

/** Words for the refusals that the person in front of the page can do something about. */
const WORDS = {
  unauthorized: 'The e-mail address or the password is wrong.',
  requires_2fa: 'Enter the code that your authenticator shows.',
  invalid_2fa: 'The code is wrong.',
  permission_denied: 'This account is no super-admin of this service, so it cannot confirm the plan.',
}

function show(name, answer) {
  const outcome = document.querySelector(`[data-outcome="${name}"]`)
  if (answer.invoice_url) {
    outcome.querySelector('[data-fill="invoice_number"]').textContent = answer.invoice_number
    byId('invoice-link').href = answer.invoice_url
    byId('invoice').hidden = false
  }
  const heading = outcome.querySelector('h1')
  document.title = `${heading.textContent} · Lookalike`
  ask.hidden = true
  outcome.hidden = false
  heading.focus()
}

/** Shows why it failed and keeps the form for another try. */
function complain(text) {
  problem.textContent = text
  problem.hidden = false
  problem.focus()
}

function askForCode() {
  codeField.hidden = false
  code.required = true
  code.focus()
}

function setBusy(isBusy) {
  button.disabled = isBusy
  button.textContent = isBusy ? button.dataset.busy : button.dataset.idle
  form.setAttribute('aria-busy', String(isBusy))
}

/** A code has six digits; anything else is a recovery code. */
function readCode() {
  const text = code.value.trim()
  if (codeField.hidden || text === '') return {}
  const digits = text.replace(/\s/g, '')
  return /^\d{6}$/.test(digits) ? { totp_code: digits } : { recovery_code: text }
}

async function send() {
  const body = {
    email: byId('email').value,
    password: password.value,
    is_paid: byId('paid').checked,
    ...readCode(),
  }
  const response = await fetch(location.pathname, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify(body),
    cache: 'no-store',
    credentials: 'omit',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  return { response, answer: await response.json() }
}

function describeRefusal({ status }, { error, message, details }) {
  if (status === 429) {
    const seconds = details?.retry_after ?? 60
    return `Too many attempts. Wait ${seconds} ${seconds === 1 ? 'second' : 'seconds'}, then try again.`
  }
  if (status >= 500) return 'The service is unavailable. Try again in a minute.'
  return WORDS[error] ?? `${String(message)}.`
}

function finish({ response, answer }) {
  if (response.ok) {
    password.value = ''
    show(answer.status === 'completed' ? 'done' : 'already', answer)
    return
  }
  complain(describeRefusal(response, answer))
  if (answer.error === 'requires_2fa') askForCode()
}

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  if (button.disabled) return
  problem.hidden = true
  setBusy(true)
  const outcome = await send().catch(() => undefined)
  setBusy(false)
  if (outcome) finish(outcome)
  else complain('The service did not answer. Check your connection, then try again.')
})
form.hidden = false
