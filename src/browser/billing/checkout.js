// Script of the page of a checkout: sends the operator's credentials with the confirmation and shows the outcome.

import {
  button,
  byId,
  complain,
  describeTrouble,
  findOutcome,
  form,
  post,
  setBusy,
  show,
  stopComplaining,
  UNREACHABLE,
} from '../forms/form.js'

const code = byId('code')
const codeField = byId('code-field')
const password = byId('password')

/** Words for the refusals that the person in front of the page can do something about. */
const WORDS = {
  unauthorized: 'The e-mail address or the password is wrong.',
  requires_2fa: 'Enter the code that your authenticator shows.',
  invalid_2fa: 'The code is wrong.',
  permission_denied: 'This account is no super-admin of this service, so it cannot confirm the plan.',
}

function showInvoice(outcome, { invoice_number, invoice_url }) {
  outcome.querySelector('[data-fill="invoice_number"]').textContent = invoice_number
  byId('invoice-link').href = invoice_url
  byId('invoice').hidden = false
}

function askForCode() {
  codeField.hidden = false
  code.required = true
  code.focus()
}

/** A code has six digits; anything else is a recovery code. */
function readCode() {
  const text = code.value.trim()
  if (codeField.hidden || text === '') return {}
  const digits = text.replace(/\s/g, '')
  return /^\d{6}$/.test(digits) ? { totp_code: digits } : { recovery_code: text }
}

const send = () =>
  post(location.pathname, {
    email: byId('email').value,
    password: password.value,
    is_paid: byId('paid').checked,
    ...readCode(),
  })

function finish({ response, answer }) {
  if (response.ok) {
    password.value = ''
    const outcome = findOutcome(answer.status === 'completed' ? 'done' : 'already')
    if (answer.invoice_url) showInvoice(outcome, answer)
    show(outcome)
    return
  }
  complain(describeTrouble(response, answer) ?? WORDS[answer.error] ?? `${String(answer.message)}.`)
  if (answer.error === 'requires_2fa') askForCode()
}

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  if (button.disabled) return
  stopComplaining()
  setBusy(true)
  const outcome = await send().catch(() => undefined)
  setBusy(false)
  if (outcome) finish(outcome)
  else complain(UNREACHABLE)
})
form.hidden = false
