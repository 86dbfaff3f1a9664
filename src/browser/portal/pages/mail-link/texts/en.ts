export const texts = {
  incomplete: 'This link is incomplete',
  incompleteHint:
    'Open the complete link from the mail again. If you have used it already, there is nothing left to do here.',
  dead: 'This link no longer works',
  deadHint: 'It was used already, its time is over, or a part of it is missing.',
  askAgain: 'Ask for a new link',
  tryToSignIn: 'Sign in',
  newPasswordLink: 'Choose a new password',
  verify: 'Confirm your e-mail address',
  verifyHint: 'Type the password that you chose when you registered. It opens your account.',
  chosenPassword: 'Password chosen at registration',
  openAccount: 'Open the account',
  opening: 'Opening the account …',
  notVerified:
    'The link does not work, or this is not the password that you chose. A link ends after five wrong passwords.',
  registerAgain: 'Register again',
  verified: 'Your account is open',
  verifiedHint:
    'Your address is confirmed, and your store is ready. Sign in with your address and your password.',
  alreadyVerified: 'Your address is already confirmed',
  alreadyVerifiedHint: 'Your account is open. Sign in with your address and your password.',
  notYou: 'You asked for no account?',
  cancel: 'Was this not you?',
  cancelHint:
    'Somebody asked for an account with your e-mail address. If it was not you, delete every request for it. The links of these requests then stop working at once.',
  cancelRequests: 'Delete the requests',
  cancelling: 'Deleting …',
  wasYou: 'It was you?',
  cancelled: 'The requests are deleted',
  cancelledHint:
    'The links that we sent for them no longer work. If an account with your address is open by now, choose a new password: the account is then yours.',
  newPassword: 'Choose a new password',
  newPasswordHint:
    'It is for the account with the address that received this link. Setting it ends all your sign-ins.',
  newPasswordLabel: 'New password',
  setPassword: 'Set the password',
  setting: 'Setting the password …',
  passwordSet: 'Your new password is set',
  passwordSetHint: 'All sign-ins with the old password have ended. Sign in with the new one.',
  email: 'Confirm your new e-mail address',
  emailHint: 'Type the password of the account that is to have this address.',
  accountPassword: 'Password of the account',
  confirmEmail: 'Confirm the address',
  confirming: 'Confirming …',
  notConfirmed:
    'The link does not work, or this is not the password of the account. A link ends after five wrong passwords; your account lets you ask for the change again.',
  confirmed: 'The new address is confirmed',
  confirmedHint:
    'Your present address must still approve it: open the link in the mail to your present address.',
  approve: 'Approve your new e-mail address',
  approveHint:
    'Somebody who knows your password asked to change the address of your account. The mail with this link names the new address. Approve it only if it was you.',
  approveEmail: 'Approve the new address',
  approving: 'Approving …',
  notYouApprove: 'This was not you? A new password cancels the request.',
  approved: 'The new address is approved',
  approvedHint:
    'It must still be confirmed: open the link in the mail to the new address, and type your password there.',
  emailDeadHint:
    'It was used already, its time is over, or a part of it is missing. Your account lets you ask for the change again.',
  emailChanged: 'Your e-mail address has changed',
  emailChangedHint: 'Sign in with the new address from now on. Your other sign-ins have ended.',
  taken: 'Somebody else has this address by now',
  takenHint: 'Nothing has changed. Your account lets you choose another address.',
  invited: 'You are invited to a store',
  store: 'Store',
  invitedBy: 'Invited by',
  newHere: 'You have no account here yet. Choose a name and a password for it.',
  yourName: 'Your name',
  badName: 'A name is one line of 1 to 100 characters.',
  join: 'Join the store',
  joining: 'Joining the store …',
  known: 'You have an account here. Sign in to join the store.',
  signedIn: 'You are signed in with this address. Your account and its password stay as they are.',
  otherPerson: (email: string) =>
    `You are signed in as ${email}, and the invitation is for another address. Sign in with that address to join the store.`,
  unexpected: 'You did not expect this? Close this page: you then join no store.',
  unsubscribe: 'Stop the weekly mail',
  unsubscribeHint:
    'You then get no mail on Mondays about what was searched for in your store. Other owners still get it.',
  unsubscribeNow: 'Stop the mail',
  unsubscribing: 'Saving …',
  unsubscribed: 'You get no weekly mail any more',
  unsubscribedHint: 'Other mails about your account and your store still come.',
  resubscribe: 'Send it to me again',
  resubscribed: 'The weekly mail comes again',
  resubscribedHint: 'The next one comes on Monday.',
  unsubscribeDeadHint:
    'A part of the link is missing. Open the link in a newer mail, or switch the weekly mail off in the settings of the store.',
  inviteEnds: {
    accepted: [
      'This invitation was already used',
      'Somebody with this link has joined the store. If that was you, sign in.',
    ],
    cancelled: ['This invitation was cancelled', 'Ask an owner of the store for a new one.'],
    expired: [
      'This invitation has expired',
      'An invitation works for 7 days. Ask an owner of the store for a new one.',
    ],
    conflict: ['You belong to this store already', 'Sign in, and choose the store.'],
    store_suspended: [
      'The store is suspended',
      'Nobody can join it at the moment. Ask an owner of the store when you can open the link again.',
    ],
    account_not_verified: [
      'Set a new password first',
      'Your address has an account, and somebody else may know its password. Set a new one by the link in the mail that we have just sent you, and then open the invitation again. If no mail comes, ask the operator of this installation for the link.',
    ],
    unauthorized: [
      'This link does not work',
      'It is incomplete, or the invitation ended long ago. Open the complete link again, or ask an owner of the store for a new invitation.',
    ],
  } satisfies Record<string, [heading: string, text: string]>,
}
export type Texts = typeof texts
