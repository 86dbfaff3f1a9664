import { escapeHtml, page } from '../../http/page.ts'
import type { Verified } from './schema.ts'

/** Where a link has led. */
export const verifiedPage = ({ status, slug }: Verified): string =>
  status === 'verified'
    ? page(
        'Your account is ready · Lookalike',
        `<h1>Your account is ready</h1>
    <p>Your address is confirmed, and your store <code>${escapeHtml(slug)}</code> is open. Sign in with your e-mail address and your password.</p>`,
      )
    : page(
        'Confirmed already · Lookalike',
        `<h1>Your address is confirmed already</h1>
    <p>The account of the store <code>${escapeHtml(slug)}</code> is active. Sign in with your e-mail address and your password.</p>`,
      )

/** A link that does not work, for whatever reason. @param remedy what helps, as a sentence. */
export const invalidLinkPage = (remedy: string): string =>
  page(
    'This link does not work · Lookalike',
    `<h1>This link does not work</h1>
    <p>It has expired, was used already, or is not complete. ${escapeHtml(remedy)}</p>`,
  )

/**
 * The form for a new password; it works without any script.
 *
 * @param email for the person, and for what keeps his passwords. @param problem what was wrong with the last one.
 */
export const passwordPage = (token: string, email: string, problem?: string): string =>
  page(
    'Choose a new password · Lookalike',
    `<h1>Choose a new password</h1>
    ${problem ? `<p class="problem" role="alert" id="problem">${escapeHtml(problem)}</p>` : ''}
    <form method="post" action="reset">
      <input type="hidden" name="token" value="${escapeHtml(token)}" />
      <p>
        <label for="email">Account</label>
        <input id="email" type="email" autocomplete="username" value="${escapeHtml(email)}" readonly />
      </p>
      <p>
        <label for="password">New password</label>
        <input id="password" name="password" type="password" autocomplete="new-password" minlength="10" required autofocus aria-describedby="rule${problem ? ' problem' : ''}" />
      </p>
      <p class="muted" id="rule">At least 10 characters; a few words are easy to remember. Setting it ends all your sign-ins.</p>
      <p><button type="submit">Set the password</button></p>
    </form>`,
  )

export const passwordSetPage = (): string =>
  page(
    'Your new password is set · Lookalike',
    `<h1>Your new password is set</h1>
    <p>All sign-ins with the old one have ended. Sign in again with your new password.</p>`,
  )

/** A request that was refused for another reason than its link. @param message for people, as an error answer has it. */
export const refusalPage = (message: string): string =>
  page(
    'This did not work · Lookalike',
    `<h1>This did not work</h1>
    <p>${escapeHtml(message)}</p>`,
  )
