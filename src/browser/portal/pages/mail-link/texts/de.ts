import type { Texts } from './en.ts'

export const texts: Texts = {
  incomplete: 'Dieser Link ist unvollständig',
  incompleteHint:
    'Öffnen Sie den vollständigen Link aus der E-Mail noch einmal. Wenn Sie ihn schon benutzt haben, ist hier nichts mehr zu tun.',
  dead: 'Dieser Link gilt nicht mehr',
  deadHint: 'Er wurde schon benutzt, ist abgelaufen, oder ein Teil von ihm fehlt.',
  askAgain: 'Neuen Link anfordern',
  tryToSignIn: 'Anmelden',
  newPasswordLink: 'Neues Passwort wählen',
  verify: 'E-Mail-Adresse bestätigen',
  verifyHint:
    'Geben Sie das Passwort ein, das Sie bei der Registrierung gewählt haben. Damit öffnen Sie Ihr Konto.',
  chosenPassword: 'Bei der Registrierung gewähltes Passwort',
  openAccount: 'Konto öffnen',
  opening: 'Konto wird geöffnet …',
  notVerified:
    'Der Link gilt nicht, oder das ist nicht das gewählte Passwort. Nach fünf falschen Passwörtern gilt ein Link nicht mehr.',
  registerAgain: 'Noch einmal registrieren',
  verified: 'Ihr Konto ist offen',
  verifiedHint:
    'Ihre Adresse ist bestätigt, und Ihr Shop ist bereit. Melden Sie sich mit Adresse und Passwort an.',
  alreadyVerified: 'Ihre Adresse ist schon bestätigt',
  alreadyVerifiedHint: 'Ihr Konto ist offen. Melden Sie sich mit Adresse und Passwort an.',
  notYou: 'Sie haben kein Konto angefordert?',
  cancel: 'Waren Sie das nicht?',
  cancelHint:
    'Jemand hat ein Konto mit Ihrer E-Mail-Adresse angefordert. Wenn Sie das nicht waren, löschen Sie alle Anfragen dazu. Deren Links gelten dann sofort nicht mehr.',
  cancelRequests: 'Anfragen löschen',
  cancelling: 'Wird gelöscht …',
  wasYou: 'Sie waren es doch?',
  cancelled: 'Die Anfragen sind gelöscht',
  cancelledHint:
    'Die Links dazu gelten nicht mehr. Falls inzwischen ein Konto mit Ihrer Adresse offen ist, wählen Sie ein neues Passwort: Dann gehört es Ihnen.',
  newPassword: 'Neues Passwort wählen',
  newPasswordHint:
    'Es gilt für das Konto mit der Adresse, an die dieser Link ging. Damit enden alle Ihre Anmeldungen.',
  newPasswordLabel: 'Neues Passwort',
  setPassword: 'Passwort setzen',
  setting: 'Passwort wird gesetzt …',
  passwordSet: 'Ihr neues Passwort gilt',
  passwordSetHint: 'Alle Anmeldungen mit dem alten Passwort sind beendet. Melden Sie sich mit dem neuen an.',
  email: 'Neue E-Mail-Adresse bestätigen',
  emailHint: 'Geben Sie das Passwort des Kontos ein, das diese Adresse bekommen soll.',
  accountPassword: 'Passwort des Kontos',
  confirmEmail: 'Adresse bestätigen',
  confirming: 'Wird bestätigt …',
  notConfirmed:
    'Der Link gilt nicht, oder das ist nicht das Passwort des Kontos. Nach fünf falschen Passwörtern gilt ein Link nicht mehr; in Ihrem Konto können Sie die Änderung noch einmal anfordern.',
  confirmed: 'Die neue Adresse ist bestätigt',
  confirmedHint:
    'Ihre jetzige Adresse muss noch zustimmen: Öffnen Sie den Link in der E-Mail an Ihre jetzige Adresse.',
  approve: 'Neuer E-Mail-Adresse zustimmen',
  approveHint:
    'Jemand, der Ihr Passwort kennt, möchte die Adresse Ihres Kontos ändern. Die E-Mail mit diesem Link nennt die neue Adresse. Stimmen Sie nur zu, wenn Sie es waren.',
  approveEmail: 'Neuer Adresse zustimmen',
  approving: 'Wird gespeichert …',
  notYouApprove: 'Das waren nicht Sie? Ein neues Passwort bricht die Änderung ab.',
  approved: 'Sie haben der neuen Adresse zugestimmt',
  approvedHint:
    'Sie muss noch bestätigt werden: Öffnen Sie den Link in der E-Mail an die neue Adresse, und geben Sie dort Ihr Passwort ein.',
  emailDeadHint:
    'Er wurde schon benutzt, ist abgelaufen, oder ein Teil von ihm fehlt. In Ihrem Konto können Sie die Änderung noch einmal anfordern.',
  emailChanged: 'Ihre E-Mail-Adresse ist geändert',
  emailChangedHint:
    'Melden Sie sich von jetzt an mit der neuen Adresse an. Ihre anderen Anmeldungen sind beendet.',
  taken: 'Diese Adresse hat inzwischen jemand anderes',
  takenHint: 'Es hat sich nichts geändert. In Ihrem Konto können Sie eine andere Adresse wählen.',
  invited: 'Sie sind in einen Shop eingeladen',
  store: 'Shop',
  invitedBy: 'Eingeladen von',
  newHere: 'Sie haben hier noch kein Konto. Wählen Sie einen Namen und ein Passwort dafür.',
  yourName: 'Ihr Name',
  badName: 'Ein Name ist eine Zeile mit 1 bis 100 Zeichen.',
  join: 'Dem Shop beitreten',
  joining: 'Sie treten bei …',
  known: 'Sie haben hier ein Konto. Melden Sie sich an, um dem Shop beizutreten.',
  signedIn: 'Sie sind mit dieser Adresse angemeldet. Ihr Konto und sein Passwort bleiben, wie sie sind.',
  otherPerson: (email) =>
    `Sie sind als ${email} angemeldet, und die Einladung gilt einer anderen Adresse. Melden Sie sich mit jener Adresse an, um dem Shop beizutreten.`,
  unexpected:
    'Sie haben keine Einladung erwartet? Schließen Sie diese Seite, dann treten Sie keinem Shop bei.',
  unsubscribe: 'Wochenmail abbestellen',
  unsubscribeHint:
    'Sie bekommen dann montags keine Mail mehr darüber, was in Ihrem Shop gesucht wurde. Andere Inhaber bekommen sie weiter.',
  unsubscribeNow: 'Abbestellen',
  unsubscribing: 'Wird gespeichert …',
  unsubscribed: 'Sie bekommen keine Wochenmail mehr',
  unsubscribedHint: 'Andere Mails zu Ihrem Konto und Ihrem Shop kommen weiter.',
  resubscribe: 'Wieder bestellen',
  resubscribed: 'Die Wochenmail kommt wieder',
  resubscribedHint: 'Die nächste kommt am Montag.',
  unsubscribeDeadHint:
    'Ein Teil des Links fehlt. Öffnen Sie den Link in einer neueren Mail, oder schalten Sie die Wochenmail in den Einstellungen des Shops aus.',
  inviteEnds: {
    accepted: [
      'Diese Einladung wurde schon benutzt',
      'Jemand ist mit diesem Link dem Shop beigetreten. Wenn Sie das waren, melden Sie sich an.',
    ],
    cancelled: ['Diese Einladung wurde zurückgezogen', 'Bitten Sie einen Inhaber des Shops um eine neue.'],
    expired: [
      'Diese Einladung ist abgelaufen',
      'Eine Einladung gilt 7 Tage. Bitten Sie einen Inhaber des Shops um eine neue.',
    ],
    conflict: ['Sie gehören schon zu diesem Shop', 'Melden Sie sich an, und wählen Sie den Shop.'],
    store_suspended: [
      'Der Shop ist gesperrt',
      'Zurzeit kann ihm niemand beitreten. Fragen Sie einen Inhaber des Shops, wann Sie den Link wieder öffnen können.',
    ],
    account_not_verified: [
      'Wählen Sie zuerst ein neues Passwort',
      'Ihre Adresse hat ein Konto, und jemand anderes kennt vielleicht dessen Passwort. Wählen Sie ein neues mit dem Link in der E-Mail, die wir Ihnen gerade geschickt haben, und öffnen Sie dann die Einladung noch einmal. Wenn keine E-Mail kommt, bitten Sie den Betreiber dieser Installation um den Link.',
    ],
    unauthorized: [
      'Dieser Link gilt nicht',
      'Er ist unvollständig, oder die Einladung ist längst abgelaufen. Öffnen Sie den vollständigen Link noch einmal, oder bitten Sie einen Inhaber des Shops um eine neue Einladung.',
    ],
  },
}
