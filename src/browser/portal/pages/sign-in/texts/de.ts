import type { Texts } from './en.ts'

export const texts: Texts = {
  heading: 'Anmelden',
  about: 'API',
  guide: 'Handbuch',
  hint: 'Neu hier? Jemand aus dem Shop lädt Sie ein.',
  forgotHeading: 'Passwort vergessen?',
  forgotHint:
    'Wir schicken einen Link an Ihre Adresse, mit dem Sie ein neues wählen. Er gilt einmal und eine Stunde lang.',
  send: 'Link schicken',
  sending: 'Wird geschickt …',
  sentHeading: 'Sehen Sie in Ihre E-Mail',
  sent: 'Wenn es ein Konto mit dieser Adresse gibt, ist ein Link unterwegs. Ohne Mailserver bekommen Sie ihn vom Betreiber dieser Installation.',
  back: 'Zurück zur Anmeldung',
  codesLeft: (count) => `Verbleibende Wiederherstellungscodes: ${count}. Erzeugen Sie rechtzeitig neue.`,
  goOn: 'Weiter',
}
