// Script of the pages behind the links in our mails. It reads the token from the URL, sends it with the reader's input, and
// shows the outcome. The token follows the #, which no browser sends anywhere.

import {
  ask,
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

/** Missing on pages that need no input. */
const password = byId('password')
/** The fields that the form sends beside the token. Disabled ones belong to a part that does not concern this reader. */
const fields = [...form.querySelectorAll('input[name]')]

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

/** Whether the form can be sent: some pages first ask what their link is about. */
let isReady = form.dataset.look === undefined

/** Writes values of an answer where the page names them. */
function fill(root, answer) {
  for (const place of root.querySelectorAll('[data-fill]'))
    place.textContent = answer[place.dataset.fill] ?? ''
}

/** Shows why the request failed, and marks the field that it is about. */
function complainAbout(wrong, text) {
  complain(text)
  for (const field of fields) field.setAttribute('aria-invalid', String(field === wrong))
}

function setFormBusy(isBusy) {
  setBusy(isBusy, isReady ? button.dataset : { idle: 'Try again', busy: 'One moment …' })
  for (const field of fields) field.readOnly = isBusy
}

/** Asks the service. @returns a function that shows the answer. */
async function request(path, body) {
  const { response, answer } = await post(path, body)
  const outcome = findOutcome(response.ok ? (answer.status ?? 'done') : nameFailure(answer))
  if (outcome) return () => finish(outcome, answer)
  if (response.ok) return () => openForm(answer)
  return () => complainAbout(findWrongField(response, answer), describeRefusal(response, answer))
}

/** The name of an outcome that is a failure: what became of the link, or the code of the error. */
const nameFailure = ({ error, details }) => (details?.status ? `was_${details.status}` : error)

/** Sends the form. */
function send() {
  const sent = fields.filter((field) => !field.disabled).map((field) => [field.name, field.value])
  return request(form.dataset.send ?? location.pathname, { token, ...Object.fromEntries(sent) })
}

/** Asks what the link is about. */
const peek = () => request(form.dataset.look, { token })

/** Shows the parts of a form or an outcome that concern this reader: none before the service has told about the link. */
function showParts(root, answer) {
  for (const part of root.querySelectorAll('[data-if], [data-unless]')) {
    const { if: wanted, unless: unwanted } = part.dataset
    part.hidden = !answer || (wanted ? !answer[wanted] : Boolean(answer[unwanted]))
    for (const field of part.querySelectorAll('input')) field.disabled = part.hidden
  }
}

/** Shows the form for what the service has told about the link. */
function openForm(answer) {
  fill(form, answer)
  showParts(form, answer)
  isReady = true
  button.textContent = button.dataset.idle
  fields.find((field) => !field.disabled)?.focus()
}

function finish(outcome, answer) {
  // The link is used up, so remove its token from the history.
  history.replaceState(null, '', location.pathname)
  if (password) password.value = ''
  fill(outcome, answer)
  showParts(outcome, answer)
  show(outcome)
}

function describeRefusal(response, answer) {
  const trouble = describeTrouble(response, answer)
  if (trouble) return trouble
  const text = nameField(String(answer.message))
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

/** Calls a field in a message as its label does. */
function nameField(message) {
  const field = fields.find(({ name, dataset }) => dataset.called && message.startsWith(`${name} `))
  return field ? field.dataset.called + message.slice(field.name.length) : message
}

/** The field that an answer complains about. */
function findWrongField({ status }, { details }) {
  if (status === 401) return password
  if (status !== 422) return undefined
  return fields.find(({ name }) => details?.errors?.[0]?.pointer === `/${name}`) ?? password
}

/** Asks the service about the link, or sends the form. */
async function go() {
  if (button.disabled) return
  stopComplaining()
  for (const field of fields) field.removeAttribute('aria-invalid')
  setFormBusy(true)
  const showAnswer = await (isReady ? send() : peek()).catch(() => () => complain(UNREACHABLE))
  setFormBusy(false)
  form.hidden = false
  showAnswer()
}

function submit(event) {
  event.preventDefault()
  return go()
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
  if (isReady) {
    form.hidden = false
    // Next in the order of the keyboard is then the form, not the head of the page.
    const first = password ?? ask.querySelector('h1')
    first.focus()
  } else {
    showParts(form, undefined)
    go()
  }
} else {
  show(findOutcome('incomplete'))
}

// Opening another link to the same page in this tab changes only the part after the #.
window.addEventListener('hashchange', () => location.reload())
