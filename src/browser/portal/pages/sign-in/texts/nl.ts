import type { Texts } from './en.ts'

export const texts: Texts = {
  heading: 'Inloggen',
  about: 'API',
  guide: 'Handleiding',
  hint: 'Nieuw hier? Iemand van de winkel nodigt u uit.',
  forgotHeading: 'Wachtwoord vergeten?',
  forgotHint: 'U krijgt een link waarmee u een nieuw wachtwoord kiest. De link werkt één keer, een uur lang.',
  send: 'Link versturen',
  sending: 'Versturen…',
  sentHeading: 'Kijk in uw mailbox',
  sent: 'Als er een account met dit adres bestaat, is de link onderweg. Is er geen mailserver, vraag de link dan aan de beheerder van deze installatie.',
  back: 'Terug naar inloggen',
  codesLeft: (count) => `Resterende herstelcodes: ${count}. Maak nieuwe voordat ze op zijn.`,
  goOn: 'Doorgaan',
  registerHeading: 'Winkel registreren',
  storeName: 'Naam van uw winkel',
  register: 'Winkel registreren',
  registering: 'Registreren…',
  registered:
    'Open binnen 24 uur de link in de e-mail en typ daar nog eens uw wachtwoord. Daarna kunt u inloggen.',
  waitsHeading: 'Uw registratie wacht',
  waits:
    'Deze installatie verstuurt geen e-mail. Vraag de beheerder om uw account te activeren; daarna kunt u inloggen.',
  closed: 'Registreren kan hier niet',
  closedHint:
    'De beheerder van deze installatie heeft dit uitgeschakeld. Een eigenaar van een winkel kan u uitnodigen.',
  invite: 'Code van uw uitnodiging',
  inviteHint: 'Die hebt u gekregen van de beheerder van deze installatie.',
  inviteWrong:
    'Registreren kan hier alleen op uitnodiging. Typ de code die naar dit e-mailadres is gestuurd.',
  badEmail: 'Dit is geen e-mailadres.',
  badStore: 'Een naam is één regel van 1 tot 100 tekens.',
  newHere: 'Winkel registreren',
}
