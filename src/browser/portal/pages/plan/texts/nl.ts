import { pluralsIn } from '../../../texts/plurals.ts'
import type { Texts } from './en.ts'

const { counted } = pluralsIn('nl')

export const texts: Texts = {
  heading: 'Abonnement & verbruik',
  used: 'Huidig verbruik',
  products: 'Producten',
  storage: 'Foto’s en gegevens',
  unlimited: 'geen limiet',
  share: (max, share) => `van ${max} (${share})`,
  runsOut: (day) => `In het tempo van de afgelopen weken is het vol op ${day}.`,
  full: 'Het is vol.',
  lasts: 'In het tempo van de afgelopen weken raakt het voorlopig niet vol.',
  noLimit: 'Er is geen limiet.',
  whatHappens: 'Is het vol, dan komen er geen nieuwe producten bij; alles wat er is, werkt door.',
  period: (calls, items, since) =>
    `Sinds ${since}: ${counted(calls, 'API-aanroep', 'API-aanroepen')} en ${counted(items, 'geïmporteerd product', 'geïmporteerde producten')}.`,
  plan: 'Abonnement',
  plans: 'Alle abonnementen',
  names: { free: 'Free', basic: 'Basic', premium: 'Premium', enterprise: 'Enterprise' },
  price: 'Prijs',
  free: 'gratis',
  aMonth: (amount) => `${amount} per maand`,
  renews: (moment) => `wordt verlengd op ${moment}`,
  endsAt: (moment) => `eindigt op ${moment}`,
  ownInstallation: 'Deze installatie is van uzelf. Hier wordt niets in rekening gebracht.',
  manual:
    'Hier wordt niets in rekening gebracht: de beheerder van deze installatie bevestigt een ander abonnement.',
  rate: 'Aanroepen per minuut',
  choice: 'Keuze',
  isCurrent: 'uw abonnement',
  ask: (plan) => `${plan} aanvragen`,
  askSure: (plan) => `Abonnement ${plan} aanvragen?`,
  askManual:
    'De beheerder van deze installatie krijgt bericht en bevestigt het. Tot die tijd verandert er niets.',
  askStripe:
    'U betaalt op de pagina van de betaaldienst en een paar seconden later verandert het abonnement.',
  smaller:
    'Een kleiner abonnement verwijdert niets; boven de limiet ervan komen er geen nieuwe producten bij.',
  mayNotAsk: 'Admins en eigenaren kunnen een ander abonnement aanvragen.',
  asked: (plan, moment) => `${plan} aangevraagd op ${moment}`,
  waitsManual: (moment) => `Nu moet de beheerder het bevestigen, tot ${moment}. U hoeft niets meer te doen.`,
  waitsStripe: (moment) => `Nu wacht het op uw betaling, tot ${moment}.`,
  outcomes: {
    completed: 'Het is bevestigd en het abonnement is gewijzigd.',
    replaced: 'Een nieuwere aanvraag is ervoor in de plaats gekomen.',
    expired: 'Niemand heeft het op tijd bevestigd. Vraag het opnieuw aan.',
  },
  sendLink: 'De beheerder bevestigt het op dit adres:',
  copyLink: 'Link kopiëren',
  pay: 'Betaling openen',
  lookAgain: 'Vernieuwen',
  invoices: 'Facturen',
  noInvoices: 'Er zijn geen facturen.',
  number: 'Nummer',
  date: 'Datum',
  amount: 'Bedrag',
  state: 'Status',
  states: { paid: 'betaald', open: 'open', void: 'vervallen' },
  document: 'Document',
  open: 'Openen',
  openInvoice: (number) => `Factuur ${number} openen`,
}
