import type { Texts } from './en.ts'

export const texts: Texts = {
  incomplete: 'Deze link is onvolledig',
  incompleteHint:
    'Open de volledige link uit de mail opnieuw. Hebt u hem al gebruikt, dan hoeft u hier niets meer te doen.',
  dead: 'Deze link werkt niet meer',
  deadHint: 'Hij is al gebruikt, is verlopen, of er ontbreekt een deel.',
  askAgain: 'Nieuwe link aanvragen',
  tryToSignIn: 'Inloggen',
  newPasswordLink: 'Nieuw wachtwoord kiezen',
  verify: 'Bevestig uw e-mailadres',
  verifyHint: 'Vul het wachtwoord in dat u bij de registratie hebt gekozen. Daarmee opent u uw account.',
  chosenPassword: 'Bij de registratie gekozen wachtwoord',
  openAccount: 'Account openen',
  opening: 'Account wordt geopend …',
  notVerified:
    'De link werkt niet, of dit is niet het gekozen wachtwoord. Na vijf verkeerde wachtwoorden werkt een link niet meer.',
  registerAgain: 'Opnieuw registreren',
  verified: 'Uw account is open',
  verifiedHint: 'Uw adres is bevestigd en uw winkel staat klaar. Log in met uw adres en uw wachtwoord.',
  alreadyVerified: 'Uw adres is al bevestigd',
  alreadyVerifiedHint: 'Uw account is open. Log in met uw adres en uw wachtwoord.',
  notYou: 'Hebt u geen account aangevraagd?',
  cancel: 'Was u dit niet?',
  cancelHint:
    'Iemand heeft een account met uw e-mailadres aangevraagd. Was u dat niet, verwijder dan alle aanvragen. De links van die aanvragen werken dan meteen niet meer.',
  cancelRequests: 'Aanvragen verwijderen',
  cancelling: 'Wordt verwijderd …',
  wasYou: 'Was u het wel?',
  cancelled: 'De aanvragen zijn verwijderd',
  cancelledHint:
    'De links ervan werken niet meer. Is er inmiddels een account met uw adres open, kies dan een nieuw wachtwoord: het account is dan van u.',
  newPassword: 'Kies een nieuw wachtwoord',
  newPasswordHint:
    'Het geldt voor het account met het adres dat deze link kreeg. Al uw aanmeldingen worden beëindigd.',
  newPasswordLabel: 'Nieuw wachtwoord',
  setPassword: 'Wachtwoord opslaan',
  setting: 'Wordt opgeslagen …',
  passwordSet: 'Uw nieuwe wachtwoord is opgeslagen',
  passwordSetHint: 'Alle aanmeldingen met het oude wachtwoord zijn beëindigd. Log in met het nieuwe.',
  email: 'Bevestig uw nieuwe e-mailadres',
  emailHint: 'Vul het wachtwoord in van het account dat dit adres moet krijgen.',
  accountPassword: 'Wachtwoord van het account',
  confirmEmail: 'Adres bevestigen',
  confirming: 'Wordt bevestigd …',
  notConfirmed:
    'De link werkt niet, of dit is niet het wachtwoord van het account. Na vijf verkeerde wachtwoorden werkt een link niet meer; in uw account kunt u de wijziging opnieuw aanvragen.',
  confirmed: 'Het nieuwe adres is bevestigd',
  confirmedHint: 'Uw huidige adres moet het nog goedkeuren: open de link in de mail aan uw huidige adres.',
  approve: 'Keur uw nieuwe e-mailadres goed',
  approveHint:
    'Iemand die uw wachtwoord kent, wil het adres van uw account wijzigen. In de mail met deze link staat het nieuwe adres. Keur het alleen goed als u het was.',
  approveEmail: 'Nieuw adres goedkeuren',
  approving: 'Wordt goedgekeurd …',
  notYouApprove: 'Was u dit niet? Een nieuw wachtwoord annuleert de aanvraag.',
  approved: 'Het nieuwe adres is goedgekeurd',
  approvedHint:
    'Het moet nog worden bevestigd: open de link in de mail aan het nieuwe adres en vul daar uw wachtwoord in.',
  emailDeadHint:
    'Hij is al gebruikt, is verlopen, of er ontbreekt een deel. In uw account kunt u de wijziging opnieuw aanvragen.',
  emailChanged: 'Uw e-mailadres is gewijzigd',
  emailChangedHint: 'Log voortaan in met het nieuwe adres. Uw andere aanmeldingen zijn beëindigd.',
  taken: 'Iemand anders heeft dit adres inmiddels',
  takenHint: 'Er is niets gewijzigd. In uw account kunt u een ander adres kiezen.',
  invited: 'U bent uitgenodigd voor een winkel',
  store: 'Winkel',
  invitedBy: 'Uitgenodigd door',
  newHere: 'U hebt hier nog geen account. Kies er een naam en een wachtwoord voor.',
  yourName: 'Uw naam',
  badName: 'Een naam is één regel van 1 tot 100 tekens.',
  join: 'Deelnemen aan de winkel',
  joining: 'U wordt toegevoegd …',
  known: 'U hebt hier een account. Log in om deel te nemen aan de winkel.',
  signedIn: 'U bent ingelogd met dit adres. Uw account en uw wachtwoord blijven zoals ze zijn.',
  otherPerson: (email) =>
    `U bent ingelogd als ${email}, en de uitnodiging is voor een ander adres. Log in met dat adres om deel te nemen aan de winkel.`,
  unexpected: 'Verwachtte u dit niet? Sluit deze pagina: u neemt dan aan geen winkel deel.',
  inviteEnds: {
    accepted: [
      'Deze uitnodiging is al gebruikt',
      'Iemand heeft met deze link deelgenomen aan de winkel. Was u dat, log dan in.',
    ],
    cancelled: ['Deze uitnodiging is ingetrokken', 'Vraag een eigenaar van de winkel om een nieuwe.'],
    expired: [
      'Deze uitnodiging is verlopen',
      'Een uitnodiging geldt 7 dagen. Vraag een eigenaar van de winkel om een nieuwe.',
    ],
    conflict: ['U hoort al bij deze winkel', 'Log in en kies de winkel.'],
    store_suspended: [
      'De winkel is opgeschort',
      'Op dit moment kan niemand deelnemen. Vraag een eigenaar van de winkel wanneer u de link weer kunt openen.',
    ],
    account_not_verified: [
      'Kies eerst een nieuw wachtwoord',
      'Uw adres heeft een account, en iemand anders kent misschien het wachtwoord. Kies een nieuw met de link in de mail die we u net hebben gestuurd, en open daarna de uitnodiging opnieuw. Komt er geen mail, vraag de beheerder van deze installatie dan om de link.',
    ],
    unauthorized: [
      'Deze link werkt niet',
      'Hij is onvolledig, of de uitnodiging is allang afgelopen. Open de volledige link opnieuw, of vraag een eigenaar van de winkel om een nieuwe uitnodiging.',
    ],
  },
}
