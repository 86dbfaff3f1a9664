import type { Texts } from './en.ts'

export const texts: Texts = {
  heading: 'Se connecter',
  about: 'API',
  guide: 'Guide',
  hint: 'Vous êtes nouveau ? Un membre de la boutique peut vous inviter.',
  forgotHeading: 'Mot de passe oublié ?',
  forgotHint:
    'Nous envoyons à votre adresse un lien pour en choisir un nouveau. Il fonctionne une seule fois, pendant une heure.',
  send: 'Envoyer le lien',
  sending: 'Envoi…',
  sentHeading: 'Consultez votre messagerie',
  sent: 'Si un compte existe à cette adresse, un lien est en route. Sans serveur de messagerie, demandez-en un à l’exploitant de cette installation.',
  back: 'Revenir à la connexion',
  codesLeft: (count) =>
    `Codes de récupération restants : ${count}. Créez-en de nouveaux avant qu’ils ne soient épuisés.`,
  goOn: 'Continuer',
  registerHeading: 'Inscrire une boutique',
  storeName: 'Nom de votre boutique',
  register: 'Inscrire la boutique',
  registering: 'Inscription…',
  registered:
    'Ouvrez le lien de l’e-mail dans les 24 heures et saisissez-y votre mot de passe encore une fois. Vous pourrez ensuite vous connecter.',
  waitsHeading: 'Votre inscription est en attente',
  waits:
    'Cette installation n’envoie pas d’e-mails. Demandez à son exploitant d’ouvrir votre compte ; vous pourrez ensuite vous connecter.',
  closed: 'Personne ne peut s’inscrire ici',
  closedHint:
    'L’exploitant de cette installation a désactivé l’inscription. Un propriétaire de boutique peut vous inviter.',
  invite: 'Code de votre invitation',
  inviteHint: 'L’exploitant de cette installation vous l’a envoyé.',
  inviteWrong: 'Ici, on s’inscrit sur invitation. Saisissez le code envoyé à cette adresse e-mail.',
  badEmail: 'Ce n’est pas une adresse e-mail.',
  badStore: 'Un nom est une ligne de 1 à 100 caractères.',
  newHere: 'Inscrire une boutique',
}
