import { pluralsIn } from '../../../../texts/plurals.ts'
import type { Texts } from './en.ts'

const { counted } = pluralsIn('fr')

export const texts: Texts = {
  hint: 'Le modèle transforme les images et les mots en ce qui est comparé. Les recherches continuent pendant que les boutiques passent à un autre.',
  modelDirSet:
    'Le réglage MODEL_DIR choisit le modèle ; il ne peut donc pas être changé ici. Retirez d’abord ce réglage et redémarrez le service.',
  here: 'Sur cette machine',
  known: 'À télécharger',
  allHere: 'Tous les modèles connus sont sur cette machine.',
  states: { in_use: 'Utilisé', here: 'Prêt', known: 'Absent', broken: 'Inutilisable' },
  bundled: 'fait partie du programme',
  statuses: { confirmed: 'Empreintes confirmées', unconfirmed: 'Empreintes non confirmées' },
  license: 'Licence',
  languages: 'Langues',
  size: 'Sur le disque',
  memory: 'Mémoire',
  speed: 'Vitesse',
  dimension: 'Longueur d’un vecteur',
  speedOf: (picture, text) => `${picture} ms par image, ${text} ms par texte`,
  notMeasured: 'non mesuré',
  suits: {
    'clip-vit-base-patch32':
      'Toute boutique sur une petite machine : le premier pas au-delà du modèle fourni, au moindre coût.',
    'clip-vit-base-patch16':
      'Les boutiques dont les produits diffèrent par de petits détails, comme des motifs ou des imprimés, et dont la machine a le temps d’indexer.',
    'mobileclip-s0': 'Des essais sur les plus petites machines ; sa licence vise la recherche.',
    'siglip-base-patch16-224':
      'Les boutiques aux produits très variés, où l’on cherche avec des mots ; le meilleur modèle général de cette liste.',
    'marqo-fashionsiglip': 'Les boutiques de vêtements, de chaussures et d’accessoires.',
    'marqo-ecommerce-b':
      'Les boutiques et places de marché aux articles de toute sorte ; il a appris sur des images et des titres de produits.',
  },

  fetch: (size) => `Télécharger (${size})`,
  fetchAtCommandLine:
    'Personne n’a pu confirmer les empreintes de ses fichiers. Il se télécharge en ligne de commande, qui les montre et vous demande si vous leur faites confiance :',
  filesAtCommandLine: 'Indique quels fichiers télécharger, d’où, et leurs empreintes :',
  fetching: (name) => `Téléchargement de ${name}`,
  fetchSteps: {
    download: 'Téléchargement',
    copy: 'Copie',
    load: 'Premier chargement',
    measure: 'Mesure de la précision et de la vitesse',
    fit: 'Ajustement des scores',
  },
  lastFetch: 'Dernier téléchargement',
  cancelFetch: 'Arrêter le téléchargement',
  fetchEnds: {
    done: (name) => `${name} est là et peut être utilisé.`,
    cancelled: (name) => `Le téléchargement de ${name} a été arrêté. Le prochain reprendra à cet endroit.`,
    failed: (name) => `${name} n’a pas pu être téléchargé.`,
  },
  offline:
    'OFFLINE est activé, rien n’est donc téléchargé. Téléchargez les fichiers sur une autre machine, apportez leur dossier ici, par exemple sur une clé USB, et ajoutez-le :',
  withoutNetwork: 'Sans réseau, apportez le dossier ici, par exemple sur une clé USB, et ajoutez-le :',
  ownFolder: 'Un autre modèle',
  ownFolderHint:
    'Tout export d’un modèle CLIP, MobileCLIP ou SigLIP pour transformers.js peut être ajouté depuis un dossier de cette machine. Il est essayé avant d’apparaître ici :',
  guide: 'Quel modèle, et ce que son dossier doit contenir',

  use: 'Y passer',
  useSure: (name) => `Faire passer toutes les boutiques à ${name} ?`,
  useNow: (name) => `Passer à ${name}`,
  useHappens:
    'Toutes les images sont vectorisées à nouveau en arrière-plan, après tout autre travail. Tant qu’une boutique n’est pas prête, ses recherches répondent avec le modèle actuel ; rien ne manque.',
  useBack:
    'Vous pouvez annuler à tout moment. Pendant sept jours après le passage, vous pouvez revenir aussitôt, ou le confirmer plus tôt.',
  useChecks:
    'Les vérifications enregistrées des boutiques sont lancées avant et après, pour que vous voyiez ce qui a changé.',
  useTime: 'Durée',
  useTimeOf: (time, pictures) =>
    `environ ${time} pour ${counted(pictures, 'image', 'images')}, si la machine ne fait rien d’autre`,
  useTimeUnknown: 'personne n’a mesuré ce modèle ; le temps restant s’affiche dès que le passage commence',
  useDisk: 'Place sur le disque',
  useMemory: 'Mémoire',
  useMemoryOf: (size) => `environ ${size} de plus jusqu’à la confirmation du passage`,
  useChecked: 'Le service vérifie la place avant de commencer, et refuse s’il en manque.',
  changed:
    'Quelqu’un a été plus rapide, ou quelque chose a changé. La page montre maintenant la situation actuelle.',

  moving: {
    use: (from, to) => `Les boutiques passent de ${from} à ${to}`,
    back: (from, to) => `Les boutiques reviennent de ${from} à ${to}`,
    reindex: (_, to) => `Toutes les images sont vectorisées à nouveau avec ${to}`,
  },
  lastMove: 'Dernier passage',
  moveEnds: {
    done: (to) => `Toutes les boutiques répondent avec ${to}.`,
    cancelled: (to) => `Le passage à ${to} a été annulé.`,
    failed: (to) => `Le passage à ${to} a échoué. Les boutiques répondent comme avant.`,
  },
  moveStarts: 'Il va commencer.',
  moveWaits: 'Il attend et reprendra de lui-même :',
  storesDone: (done, all) => `Boutiques : ${done} sur ${all}`,
  productsDone: (done, all) => `Produits : ${done} sur ${all}`,
  timeLeft: (time) => `encore ${time} environ`,
  progress: 'Avancement du passage',
  failed: (count) => `Produits dont l’image n’est plus disponible : ${count}`,
  failedHint:
    'Les recherches par mots continuent de les trouver. Ils sont essayés à nouveau quand quelqu’un les modifie.',
  furtherFailed: (count) => `et ${count} autres`,
  cancelMove: 'Annuler le passage',
  cancelSure: 'Annuler le passage ?',
  cancelHappens: 'Les boutiques déjà passées reviennent à l’ancien modèle, dont les vecteurs sont encore là.',
  goOn: 'Le laisser continuer',

  former: 'Le retour',
  formerUntil: (name, until) =>
    `Les vecteurs de ${name} sont gardés jusqu’au ${until}. D’ici là, toutes les boutiques peuvent y revenir ; seul ce qui a changé depuis est d’abord vectorisé.`,
  back: (name) => `Revenir à ${name}`,
  backSure: (name) => `Revenir à ${name} ?`,
  backHappens:
    'Chaque boutique répond avec lui dès que ce qui a changé depuis le passage est vectorisé ; le plus souvent, c’est immédiat.',
  confirm: (name) => `Garder ${name} définitivement`,
  confirmSure: (name) => `Garder ${name} définitivement ?`,
  confirmHappens: (former) =>
    `Les vecteurs de ${former} sont supprimés, ce qui libère du disque et de la mémoire. Il n’y a alors plus de retour rapide.`,

  remove: 'Supprimer ses fichiers',
  removeSure: (name) => `Supprimer les fichiers de ${name} ?`,
  removeHappens: (size) =>
    `Cela libère ${size} sur le disque. Pour l’utiliser de nouveau, quelqu’un devra l’apporter encore une fois.`,

  checks: 'Vérifications enregistrées avant et après',
  checksHint:
    'Des recherches dont les membres d’une boutique ont noté les bons résultats. Elles sont lancées avant qu’une boutique ne passe à un autre modèle, et après.',
  noChecks:
    'Aucune boutique n’a de vérifications enregistrées. Ses membres les enregistrent sur la page « Essais ».',
  checksNow: 'Maintenant',
  checksBefore: 'Avant',
  checksChange: 'Changement',
  pass: (passed, total) => `${passed} sur ${total} réussies`,
  notRun: 'Pas encore lancées',
  runsNow: 'En cours',
  better: (count) => `${count} de plus`,
  worse: (count) => `${count} de moins`,
  same: 'Comme avant',
  store: 'Boutique',
}
