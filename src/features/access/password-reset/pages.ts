import { HOW_TO_SIGN_IN, LINK_ENDED, linkPage, passwordField, plainPage } from '../../../http/link-page.ts'
import { escapeHtml } from '../../../http/page.ts'

const LINK_IS_DEAD = `${LINK_ENDED} <a href="/forgot">Ask for a new link</a>.`

/** The page behind the link for a new password. */
export const newPasswordPage = (): string =>
  linkPage({
    heading: 'Choose a new password',
    intro: '<p>The new password is for the account with the e-mail address that we sent this link to.</p>',
    field: passwordField(
      'New password',
      'new-password',
      'At least 10 characters; a few words are easy to remember. Setting a new password ends all your sign-ins.',
    ),
    button: 'Set the password',
    busy: 'Setting the password …',
    outcomes: {
      password_reset: [
        'Your new password is set',
        `<p>All sign-ins with the old password have ended. Sign in again with the new one.</p>
      ${HOW_TO_SIGN_IN}`,
      ],
      unauthorized: ['This link does not work', `<p>${LINK_IS_DEAD}</p>`],
    },
    incomplete: '<p>Open the complete link from the mail again.</p>',
  })

/** Answers the form of an older version that was still open in a browser and set a password. */
export const passwordSetPage = (): string =>
  plainPage(
    'Your new password is set',
    '<p>All sign-ins with the old password have ended. Sign in again with the new one.</p>',
  )

/** Answers the same form if its link does not work. */
export const invalidLinkPage = (): string => plainPage('This link does not work', `<p>${LINK_IS_DEAD}</p>`)

/** Answers the same form for any other error. @param message of the error answer. */
export const refusalPage = (message: string): string =>
  plainPage('This did not work', `<p>${escapeHtml(message)} Open the link in the mail again.</p>`)
