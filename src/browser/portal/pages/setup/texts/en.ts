export const texts = {
  title: 'Make the first account',
  who: 'Who are you?',
  whoHint: 'This makes the owner of this installation. Nothing is sent anywhere.',
  store: 'Name of your store',
  address: 'Its address here:',
  numbered: 'Another store has this address, so yours gets a number behind it.',
  make: 'Make my store',
  making: 'Making your store …',
  badEmail: 'This is no e-mail address.',
  badStore: 'A name is one line of 1 to 100 characters.',
  ended: 'This link does not work any more',
  endedHint:
    'This link was used or is older than 30 minutes. Run this where the service runs, or restart the service:',
  endedMore: 'It prints a new link. Open that one here.',
  incomplete: 'This link is incomplete',
  incompleteHint:
    'Open the complete link that the service printed in its terminal. Lost it? Run this where the service runs:',
  owned: 'This installation has an owner already',
  ownedHint: 'Sign in, or ask the owner for an invitation.',
}
export type Texts = typeof texts
