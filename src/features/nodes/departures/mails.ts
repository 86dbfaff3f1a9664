import type { Mail } from '../../../platform/mail/mailer.ts'

/** Tells an owner where the store is served now. */
export const movedMail = (
  to: string,
  { slug, from, to: url }: { slug: string; from: string; to: string },
): Mail => ({
  to,
  subject: `Your store ${slug} has a new address`,
  text: `${[
    `The operator has moved your store ${slug} from ${from} to ${url}, with its products, keys, settings and people. Keys and secrets stay as they are.`,
    `Sign in at ${url}, with the password that you have there if you had an account there before. Where the operator's proxy leads the old address there, nothing of yours has to change; otherwise use ${url} in your programs and in the widget of your shop. The old address answers with the error store_not_here and names the new one.`,
  ].join('\n\n')}\n`,
})
