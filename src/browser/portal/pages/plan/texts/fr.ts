import type { Texts } from './en.ts'

export const texts: Texts = {
  heading: 'Forfait et usage',
  used: 'Usage actuel',
  products: 'Produits',
  storage: 'Images et données',
  unlimited: 'sans limite',
  share: (max, share) => `sur ${max} (${share})`,
  runsOut: (day) => `Au rythme des dernières semaines, la limite sera atteinte le ${day}.`,
  full: 'La limite est atteinte.',
  lasts: 'Au rythme des dernières semaines, la limite ne sera pas atteinte de sitôt.',
  noLimit: 'Il n’y a pas de limite à atteindre.',
  whatHappens:
    'Une fois la limite atteinte, aucun nouveau produit n’est accepté ; tout ce qui existe continue de fonctionner.',
  period: (calls, items, since) =>
    `Depuis le ${since} : appels à l’API, ${calls} ; produits importés, ${items}.`,
  plan: 'Forfait',
  plans: 'Tous les forfaits',
  names: { free: 'Free', basic: 'Basic', premium: 'Premium', enterprise: 'Enterprise' },
  price: 'Prix',
  free: 'gratuit',
  aMonth: (amount) => `${amount} par mois`,
  renews: (moment) => `renouvelé le ${moment}`,
  endsAt: (moment) => `prend fin le ${moment}`,
  ownInstallation: 'Cette installation est la vôtre. Aucun paiement n’est demandé ici.',
  manual:
    'Aucun paiement n’est demandé ici : l’exploitant de cette installation confirme le changement de forfait.',
  rate: 'Appels par minute',
  choice: 'Choix',
  isCurrent: 'votre forfait',
  ask: (plan) => `Demander ${plan}`,
  askSure: (plan) => `Demander le forfait ${plan} ?`,
  askManual:
    'L’exploitant de cette installation est prévenu et confirme la demande. D’ici là, rien ne change.',
  askStripe:
    'Vous payez sur la page du prestataire de paiement, et le forfait change quelques secondes plus tard.',
  smaller:
    'Un forfait plus petit ne supprime rien ; au-dessus de sa limite, aucun nouveau produit n’est accepté.',
  mayNotAsk: 'Les administrateurs et les propriétaires peuvent demander un autre forfait.',
  asked: (plan, moment) => `${plan} demandé le ${moment}`,
  waitsManual: (moment) =>
    `L’exploitant doit maintenant confirmer, jusqu’au ${moment}. Vous n’avez plus rien à faire.`,
  waitsStripe: (moment) => `Votre paiement est maintenant attendu, jusqu’au ${moment}.`,
  outcomes: {
    completed: 'C’est confirmé, et le forfait a changé.',
    replaced: 'Une demande plus récente l’a remplacée.',
    expired: 'Personne n’a confirmé à temps. Refaites la demande.',
  },
  sendLink: 'L’exploitant confirme à cette adresse :',
  copyLink: 'Copier le lien',
  pay: 'Ouvrir le paiement',
  lookAgain: 'Actualiser',
  invoices: 'Factures',
  noInvoices: 'Il n’y a pas de factures.',
  number: 'Numéro',
  date: 'Date',
  amount: 'Montant',
  state: 'État',
  states: { paid: 'payée', open: 'à payer', void: 'annulée' },
  document: 'Document',
  open: 'Ouvrir',
  openInvoice: (number) => `Ouvrir la facture ${number}`,
}
