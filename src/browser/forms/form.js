// Shared by the pages with one form: they send it, and show the outcome in its place, or the error above it.

export const byId = (id) => document.getElementById(id)

/** The part of the page that asks. */
export const ask = byId('ask')
export const form = byId('form')
export const button = byId('send')
const problem = byId('problem')

/** The longest wait for an answer. */
const TIMEOUT_MS = 30_000

export const UNREACHABLE = 'The service did not answer. Check your connection, then try again.'

export const findOutcome = (name) => document.querySelector(`[data-outcome="${CSS.escape(name)}"]`)

/** Shows the section of an outcome instead of the form. */
export function show(outcome) {
  const heading = outcome.querySelector('h1')
  document.title = `${heading.textContent} · Lookalike`
  ask.hidden = true
  outcome.hidden = false
  heading.focus()
}

/** Shows why the request failed and keeps the form for another try. */
export function complain(text) {
  problem.textContent = text
  problem.hidden = false
  problem.focus()
}

export function stopComplaining() {
  problem.hidden = true
}

/** @param words what the button says, idle and busy. */
export function setBusy(isBusy, words = button.dataset) {
  button.disabled = isBusy
  button.textContent = isBusy ? words.busy : words.idle
  form.setAttribute('aria-busy', String(isBusy))
}

/** Sends JSON. @throws TypeError without a connection, DOMException after the longest wait. */
export async function post(path, body) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify(body),
    cache: 'no-store',
    // Some answers sign the reader in by a cookie. None of these pages sends it: it belongs to the portal's path alone.
    credentials: 'same-origin',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  return { response, answer: await response.json() }
}

/** Words for a refusal that has nothing to do with what was sent; undefined for all others. */
export function describeTrouble({ status }, { details }) {
  if (status === 429) {
    const seconds = details?.retry_after ?? 60
    return `Too many attempts. Wait ${seconds} ${seconds === 1 ? 'second' : 'seconds'}, then try again.`
  }
  return status >= 500 ? 'The service is unavailable. Try again in a minute.' : undefined
}
