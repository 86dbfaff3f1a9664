import { page } from './page.ts'

/** Script of the pages behind links. The token follows the # of their address, so opening a page never sends it. */
const SCRIPT = '/docs/mail-link.js'

/** The next step. */
const NEXT = '<p class="next"><a href="/login">Sign in</a> <a href="/docs/guide">Guide</a></p>'

/** Keeps a browser from breaking a line after the hyphen. */
const withWholeWords = (html: string): string =>
  html.replaceAll('e-mail', '<span class="whole">e-mail</span>')

/** A page without a script. @param body HTML. */
export const plainPage = (heading: string, body: string): string =>
  page(`${heading} · Lookalike`, withWholeWords(`<h1>${heading}</h1>\n    ${body}\n    ${NEXT}`))

/** The form on the page behind a link. All texts are HTML. */
interface Question {
  heading: string
  /** Text above the field and the button. */
  intro: string
  /** The password field, if the form has one. */
  field?: string
  button: string
  /** Label of the button while the form is being sent. */
  busy: string
  /** Text below the button. */
  after?: string
  /**
   * Sections that replace the form, by the status or the error code of the answer; `was_…` for an error whose details have
   * a status.
   */
  outcomes: Record<string, Outcome>
  /** Where the form is sent, and the address that describes the link before the form is shown; by default this page, and none. */
  paths?: { send: string; look?: string }
  /** Text that replaces the form if the address holds no token. */
  incomplete: string
}

type Outcome = [heading: string, body: string]

/** A page behind a link in a mail: a form, and the sections that replace it afterwards. */
export const linkPage = ({
  heading,
  intro,
  field = '',
  button,
  busy,
  after = '',
  outcomes,
  incomplete,
  paths,
}: Question) =>
  page(
    `${heading} · Lookalike`,
    withWholeWords(`<div id="ask">
      <h1 tabindex="-1">${heading}</h1>
      <noscript><p class="problem">This page needs JavaScript: the code of your link follows the # in the address, where only a script can read it. Turn JavaScript on, then open the link again.</p></noscript>
      <form id="form" method="post"${formData({ send: paths?.send, look: paths?.look })} hidden>
        ${intro}
        <p class="problem" role="alert" id="problem" tabindex="-1" hidden></p>
        ${field}
        <p><button type="submit" id="send" data-idle="${button}" data-busy="${busy}">${button}</button></p>
        ${after}
      </form>
    </div>
    ${Object.entries({ ...outcomes, incomplete: ['This link is incomplete', incomplete] as Outcome })
      .map(([name, [title, body]]) => outcomeSection(name, title, body))
      .join('\n    ')}`),
    SCRIPT,
  )

/** The `data-` attributes of the form. */
const formData = (values: Record<string, string | undefined>): string =>
  Object.entries(values)
    .map(([name, value]) => (value === undefined ? '' : ` data-${name}="${value}"`))
    .join('')

const outcomeSection = (name: string, heading: string, body: string): string =>
  `<section data-outcome="${name}" hidden>
      <h1 tabindex="-1">${heading}</h1>
      ${body}
      ${NEXT}
    </section>`

/** @param rule HTML with the rules for the password. */
export const passwordField = (label: string, autocomplete: string, rule = ''): string =>
  `<p>
          <label for="password">${label}</label>
          <input id="password" name="password" type="password" autocomplete="${autocomplete}" required aria-describedby="${rule ? 'rule ' : ''}problem" />
        </p>
        ${rule ? `<p class="muted" id="rule">${rule}</p>` : ''}
        <p><label class="choice"><input type="checkbox" id="show" /> Show the password</label></p>`

export const HOW_TO_SIGN_IN = '<p>Sign in with your e-mail address and your password.</p>'

/** Why a link does not work. */
export const LINK_ENDED = 'It has expired, has already been used, or is incomplete.'
