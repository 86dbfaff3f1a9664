export const texts = {
  heading: 'Sign in',
  about: 'API',
  guide: 'Guide',
  hint: 'New here? Somebody of the store invites you.',
  forgotHeading: 'Forgot your password?',
  forgotHint: 'We send a link to your address, by which you choose a new one. It works once, for an hour.',
  send: 'Send the link',
  sending: 'Sending …',
  sentHeading: 'Look into your mail',
  sent: 'If there is an account with this address, a link is on its way. Without a mail server, ask the operator of this installation for one.',
  back: 'Back to signing in',
  codesLeft: (count: number) => `Recovery codes left: ${count}. Make new ones before they run out.`,
  goOn: 'Go on',
}
export type Texts = typeof texts
