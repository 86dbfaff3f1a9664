import type { Texts } from './en.ts'

export const texts: Texts = {
  title: 'Eerste account aanmaken',
  who: 'Wie bent u?',
  whoHint: 'Hiermee wordt u eigenaar van deze installatie. Er wordt niets verstuurd.',
  store: 'Naam van uw winkel',
  address: 'Adres van de winkel hier:',
  numbered: 'Een andere winkel heeft dit adres, daarom komt er een nummer achter.',
  make: 'Mijn winkel aanmaken',
  making: 'Uw winkel wordt aangemaakt…',
  badEmail: 'Dit is geen e-mailadres.',
  badStore: 'Een naam is één regel van 1 tot 100 tekens.',
  ended: 'Deze link werkt niet meer',
  endedHint:
    'Deze link is al gebruikt of ouder dan 30 minuten. Voer dit uit waar de dienst draait, of start de dienst opnieuw:',
  endedMore: 'U krijgt dan een nieuwe link. Open die hier.',
  incomplete: 'Deze link is onvolledig',
  incompleteHint:
    'Open de volledige link die de dienst in de terminal heeft getoond. Kwijt? Voer dit uit waar de dienst draait:',
  owned: 'Deze installatie heeft al een eigenaar',
  ownedHint: 'Log in, of vraag de eigenaar om een uitnodiging.',
}
