import { escapeHtml, page } from '../../../http/page.ts'

// The form of an older version that is still open in a browser sends itself, without a script, and gets these pages.

const NEXT = '<p class="next"><a href="/login">Sign in</a> <a href="/docs/guide">Guide</a></p>'

/** @param body HTML. */
const plainPage = (heading: string, body: string): string =>
  page(`${heading} · Lookalike`, `<h1>${heading}</h1>\n    ${body}\n    ${NEXT}`)

/** Answers when it has set a password. */
export const passwordSetPage = (): string =>
  plainPage(
    'Your new password is set',
    '<p>All sign-ins with the old password have ended. Sign in again with the new one.</p>',
  )

/** Answers if its link does not work. */
export const invalidLinkPage = (): string =>
  plainPage(
    'This link does not work',
    '<p>It has expired, has already been used, or is incomplete. <a href="/forgot">Ask for a new link</a>.</p>',
  )

/** Answers for any other error. @param message of the error answer. */
export const refusalPage = (message: string): string =>
  plainPage('This did not work', `<p>${escapeHtml(message)} Open the link in the mail again.</p>`)
