import type { Texts } from './en.ts'

export const texts: Texts = {
  incomplete: 'Ce lien est incomplet',
  incompleteHint:
    'Ouvrez à nouveau le lien complet depuis l’e-mail. Si vous l’avez déjà utilisé, il n’y a plus rien à faire ici.',
  dead: 'Ce lien ne fonctionne plus',
  deadHint: 'Il a déjà été utilisé, il a expiré, ou une partie manque.',
  askAgain: 'Demander un nouveau lien',
  tryToSignIn: 'Se connecter',
  newPasswordLink: 'Choisir un nouveau mot de passe',
  verify: 'Confirmez votre adresse e-mail',
  verifyHint: 'Saisissez le mot de passe choisi lors de l’inscription. Il ouvre votre compte.',
  chosenPassword: 'Mot de passe choisi lors de l’inscription',
  openAccount: 'Ouvrir le compte',
  opening: 'Ouverture du compte …',
  notVerified:
    'Le lien ne fonctionne pas, ou ce n’est pas le mot de passe choisi. Après cinq mots de passe erronés, un lien ne fonctionne plus.',
  registerAgain: 'S’inscrire à nouveau',
  verified: 'Votre compte est ouvert',
  verifiedHint:
    'Votre adresse est confirmée et votre boutique est prête. Connectez-vous avec votre adresse et votre mot de passe.',
  alreadyVerified: 'Votre adresse est déjà confirmée',
  alreadyVerifiedHint: 'Votre compte est ouvert. Connectez-vous avec votre adresse et votre mot de passe.',
  notYou: 'Vous n’avez pas demandé de compte ?',
  cancel: 'Ce n’était pas vous ?',
  cancelHint:
    'Quelqu’un a demandé un compte avec votre adresse e-mail. Si ce n’était pas vous, supprimez toutes ces demandes. Leurs liens cessent aussitôt de fonctionner.',
  cancelRequests: 'Supprimer les demandes',
  cancelling: 'Suppression …',
  wasYou: 'C’était vous ?',
  cancelled: 'Les demandes sont supprimées',
  cancelledHint:
    'Leurs liens ne fonctionnent plus. Si un compte avec votre adresse est déjà ouvert, choisissez un nouveau mot de passe : le compte est alors à vous.',
  newPassword: 'Choisissez un nouveau mot de passe',
  newPasswordHint:
    'Il vaut pour le compte dont l’adresse a reçu ce lien. Toutes vos connexions prendront fin.',
  newPasswordLabel: 'Nouveau mot de passe',
  setPassword: 'Enregistrer le mot de passe',
  setting: 'Enregistrement …',
  passwordSet: 'Votre nouveau mot de passe est enregistré',
  passwordSetHint: 'Toutes les connexions avec l’ancien ont pris fin. Connectez-vous avec le nouveau.',
  email: 'Confirmez votre nouvelle adresse e-mail',
  emailHint: 'Saisissez le mot de passe du compte qui doit recevoir cette adresse.',
  accountPassword: 'Mot de passe du compte',
  confirmEmail: 'Confirmer l’adresse',
  confirming: 'Confirmation …',
  notConfirmed:
    'Le lien ne fonctionne pas, ou ce n’est pas le mot de passe du compte. Après cinq mots de passe erronés, un lien ne fonctionne plus ; votre compte permet de redemander le changement.',
  confirmed: 'La nouvelle adresse est confirmée',
  confirmedHint:
    'Votre adresse actuelle doit encore l’approuver : ouvrez le lien dans l’e-mail envoyé à votre adresse actuelle.',
  approve: 'Approuvez votre nouvelle adresse e-mail',
  approveHint:
    'Quelqu’un qui connaît votre mot de passe a demandé de changer l’adresse de votre compte. L’e-mail contenant ce lien indique la nouvelle adresse. Ne l’approuvez que si c’était vous.',
  approveEmail: 'Approuver la nouvelle adresse',
  approving: 'Approbation …',
  notYouApprove: 'Ce n’était pas vous ? Un nouveau mot de passe annule la demande.',
  approved: 'La nouvelle adresse est approuvée',
  approvedHint:
    'Elle doit encore être confirmée : ouvrez le lien dans l’e-mail envoyé à la nouvelle adresse et saisissez-y votre mot de passe.',
  emailDeadHint:
    'Il a déjà été utilisé, il a expiré, ou une partie manque. Votre compte permet de redemander le changement.',
  emailChanged: 'Votre adresse e-mail a changé',
  emailChangedHint: 'Connectez-vous désormais avec la nouvelle adresse. Vos autres connexions ont pris fin.',
  taken: 'Quelqu’un d’autre a désormais cette adresse',
  takenHint: 'Rien n’a changé. Votre compte permet de choisir une autre adresse.',
  invited: 'Vous êtes invité dans une boutique',
  store: 'Boutique',
  invitedBy: 'Invitation de',
  newHere: 'Vous n’avez pas encore de compte ici. Choisissez un nom et un mot de passe.',
  yourName: 'Votre nom',
  badName: 'Un nom tient sur une ligne de 1 à 100 caractères.',
  join: 'Rejoindre la boutique',
  joining: 'Vous rejoignez la boutique …',
  known: 'Vous avez un compte ici. Connectez-vous pour rejoindre la boutique.',
  signedIn: 'Vous êtes connecté avec cette adresse. Votre compte et son mot de passe ne changent pas.',
  otherPerson: (email) =>
    `Vous êtes connecté en tant que ${email}, et l’invitation est destinée à une autre adresse. Connectez-vous avec celle-ci pour rejoindre la boutique.`,
  unexpected: 'Vous ne vous y attendiez pas ? Fermez cette page : vous ne rejoignez alors aucune boutique.',
  unsubscribe: 'Arrêter le message hebdomadaire',
  unsubscribeHint:
    'Vous ne recevrez plus, le lundi, de message sur ce qui a été cherché dans votre boutique. Les autres propriétaires le recevront toujours.',
  unsubscribeNow: 'Arrêter le message',
  unsubscribing: 'Enregistrement …',
  unsubscribed: 'Vous ne recevez plus le message hebdomadaire',
  unsubscribedHint: 'Les autres messages sur votre compte et votre boutique arrivent toujours.',
  resubscribe: 'Le recevoir de nouveau',
  resubscribed: 'Le message hebdomadaire revient',
  resubscribedHint: 'Le prochain arrive lundi.',
  unsubscribeDeadHint:
    'Une partie du lien manque. Ouvrez le lien d’un message plus récent, ou désactivez le message hebdomadaire dans les paramètres de la boutique.',
  inviteEnds: {
    accepted: [
      'Cette invitation a déjà été utilisée',
      'Quelqu’un a rejoint la boutique avec ce lien. Si c’était vous, connectez-vous.',
    ],
    cancelled: [
      'Cette invitation a été annulée',
      'Demandez-en une nouvelle à un propriétaire de la boutique.',
    ],
    expired: [
      'Cette invitation a expiré',
      'Une invitation est valable 7 jours. Demandez-en une nouvelle à un propriétaire de la boutique.',
    ],
    conflict: ['Vous faites déjà partie de cette boutique', 'Connectez-vous et choisissez la boutique.'],
    store_suspended: [
      'La boutique est suspendue',
      'Personne ne peut la rejoindre pour le moment. Demandez à un propriétaire de la boutique quand vous pourrez rouvrir le lien.',
    ],
    account_not_verified: [
      'Choisissez d’abord un nouveau mot de passe',
      'Votre adresse a un compte, et quelqu’un d’autre connaît peut-être son mot de passe. Choisissez-en un nouveau avec le lien de l’e-mail que nous venons de vous envoyer, puis rouvrez l’invitation. Si aucun e-mail n’arrive, demandez le lien à l’exploitant de cette installation.',
    ],
    unauthorized: [
      'Ce lien ne fonctionne pas',
      'Il est incomplet, ou l’invitation a pris fin il y a longtemps. Rouvrez le lien complet, ou demandez une nouvelle invitation à un propriétaire de la boutique.',
    ],
  },
}
