import { pluralsIn } from '../../../texts/plurals.ts'
import type { Texts } from './en.ts'

const { counted, plural } = pluralsIn('fr')

function everyMinutes(minutes: number): string {
  if (minutes === 1_440) return 'Toutes les 24 heures'
  if (minutes === 60) return 'Toutes les heures'
  if (minutes % 1_440 === 0) return `Tous les ${minutes / 1_440} jours`
  if (minutes % 60 === 0) return `Toutes les ${minutes / 60} heures`
  return plural(minutes, 'Toutes les minutes', `Toutes les ${minutes} minutes`)
}

export const texts: Texts = {
  heading: 'Flux',
  none: 'Aucun flux pour le moment',
  noneHint:
    'Un flux lit régulièrement l’export de votre boutique à son adresse, pour que la recherche connaisse ce que vous vendez aujourd’hui.',
  add: 'Ajouter un flux',
  create: 'Le lire maintenant et désormais',
  change: 'Modifier',
  save: 'Enregistrer le flux',
  cancel: 'Annuler',
  address: 'Adresse du fichier',
  addressHint:
    'Un fichier CSV, TSV, NDJSON ou XML, éventuellement compressé. Il doit s’ouvrir sans connexion sur une page.',
  login: 'Accès à l’adresse',
  loginNone: 'Aucun',
  loginKept: 'Celui qui est enregistré',
  loginNew: 'Un nom d’utilisateur et un mot de passe',
  withLogin: 'avec identifiants',
  user: 'Nom d’utilisateur',
  password: 'Mot de passe',
  every: 'Fréquence',
  intervals: {
    60: 'Toutes les heures',
    360: 'Toutes les 6 heures',
    1440: 'Chaque nuit',
    10080: 'Chaque semaine',
  },
  everyMinutes,
  deletes:
    'Supprimer les produits apportés par ce flux quand son fichier ne les mentionne plus. Si plus de 20 % devaient disparaître, rien n’est supprimé sans votre accord.',
  deletesToo: 'supprime ce qui a disparu',
  statuses: {
    queued: 'Il sera lu dans un instant',
    running: 'Il est en cours de lecture',
  },
  paused: 'Arrêté',
  next: (when) => `prochaine lecture ${when}`,
  lastRuns: 'Dernières lectures',
  outcomes: {
    good: 'Lu',
    same: 'Rien de nouveau',
    stopped: 'Lu, rien n’a été supprimé',
    bad: 'Échec',
    running: 'Lecture en cours',
  },
  added: (count) => counted(count, 'nouveau', 'nouveaux'),
  updated: (count) => counted(count, 'modifié', 'modifiés'),
  deleted: (count) => counted(count, 'supprimé', 'supprimés'),
  failed: (count) => `${count} en échec`,
  sameFile: 'le fichier est le même',
  nothingNew: 'aucun produit n’a changé',
  job: 'Détails',
  brake: (missing, all) =>
    `${counted(missing, 'produit', 'produits')} ${all === null ? '' : `sur ${all} `}${plural(missing, 'manque', 'manquent')} dans le fichier, soit plus de 20 %. Un fichier tronqué aurait le même aspect : rien n’a donc été supprimé.`,
  unnamed: (missing) =>
    `Produits absents du fichier : ${missing}. De plus, certaines de ses lignes ne désignent aucun produit. Les unes peuvent correspondre aux autres : rien n’a donc été supprimé.`,
  answered: (status) => `Le serveur a répondu avec le statut ${status}.`,
  checkAddress: 'Vérifiez l’adresse : appuyez sur « Modifier ».',
  reasons: {
    dns: 'Le nom d’hôte de l’adresse est inconnu. Vérifiez son orthographe.',
    connect: 'Le serveur est injoignable.',
    timeout: 'Le fichier a mis trop de temps à arriver.',
    tls: 'Le certificat du serveur n’est pas valide.',
    too_many_redirects: 'L’adresse redirige trop souvent.',
    blocked_address: 'L’adresse se trouve dans un réseau privé, où ce service n’entre pas.',
    too_large: 'Le fichier est trop volumineux.',
  },
  reallyGone: 'Ils n’existent vraiment plus',
  reallyGoneSure: (count) => plural(count, `Supprimer ${count} produit ?`, `Supprimer ${count} produits ?`),
  reallyGoneHint:
    'Le fichier est lu encore une fois. Ce qu’il ne mentionne pas est supprimé avec ses images, pour cette fois seulement.',
  deleteProducts: (count) => plural(count, `Supprimer ${count} produit`, `Supprimer ${count} produits`),
  runNow: 'Lire maintenant',
  stop: 'Arrêter',
  start: 'Reprendre',
  delete: 'Supprimer le flux',
  deleteSure: (url) => `Supprimer le flux ${url} ?`,
  deleteHint: 'Il n’est plus lu, et ses identifiants sont effacés. Ses produits restent.',
}
