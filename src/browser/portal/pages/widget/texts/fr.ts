import { pluralsIn } from '../../../texts/plurals.ts'
import type { Texts } from './en.ts'

const { counted } = pluralsIn('fr')

export const texts: Texts = {
  heading: 'La recherche dans votre boutique',
  lead: 'Une ligne de HTML ajoute la recherche par image à votre boutique. Procédez de haut en bas ; tout peut être modifié plus tard.',
  noRights:
    'Votre rôle ne permet pas de voir les clés du widget. Un propriétaire, un administrateur ou un développeur le peut.',
  factsLocked: 'Seuls les propriétaires et les administrateurs peuvent modifier ceci.',
  saved: 'Enregistré',
  system: 'Avec quoi fonctionne votre boutique ?',
  systems: {
    woocommerce: 'WooCommerce',
    shopify: 'Shopify',
    shopware: 'Shopware',
    prestashop: 'PrestaShop',
    magento: 'Magento',
    opencart: 'OpenCart',
    other: 'Autre chose',
  },
  origin: 'Où se trouve votre boutique ?',
  shopAddress: 'Adresse de votre boutique',
  shopAddressHint: 'Telle qu’un client la saisit, par exemple www.shop.example',
  badAddress: 'Ce n’est pas l’adresse d’un site web. Elle ressemble à www.shop.example.',
  allowed: 'Le widget fonctionne à ces adresses et nulle part ailleurs :',
  makeKey: 'Créer la clé',
  makingKey: 'Création de la clé…',
  key: 'Clé',
  keyHint:
    'La clé est publique : elle figure dans chaque page de la boutique et ne fonctionne qu’aux adresses qu’elle indique.',
  keyUnknown:
    'Cette clé vient d’une version antérieure et ne peut pas être affichée. Créez-en une nouvelle pour obtenir la ligne.',
  addAddress: 'Ajouter une adresse',
  add: 'Ajouter',
  removeAddress: (origin) => `Retirer ${origin}`,
  saveAddresses: 'Enregistrer les adresses',
  anotherKey: 'Créer une autre clé',
  revoke: 'Révoquer cette clé',
  revokeSure: (name) => `Révoquer la clé « ${name} » ?`,
  revokeSeen: (origin, ago) => `La recherche disparaît de ${origin}. Dernière utilisation : ${ago}.`,
  revokeUnseen: 'Aucune boutique n’a encore utilisé cette clé.',
  revokeEnd: 'Les pages qui portent cette clé devront en recevoir une autre. Une clé révoquée est perdue.',
  address: 'Où s’ouvrent vos produits ?',
  addressHint:
    'Les produits qui ont leur propre adresse la gardent. Pour tous les autres, {product_id}, {sku} ou un autre champ représente la valeur du produit.',
  template: 'Adresse d’un produit',
  test: 'L’essayer sur trois produits',
  testing: 'Essai en cours…',
  save: 'Enregistrer cette adresse',
  opens: (path) => `ouvre ${path}`,
  answers: (path, status) =>
    status === 404
      ? `${path} : la boutique n’a pas cette page (404)`
      : `${path} : la boutique répond ${status}`,
  noneFits:
    'Aucun de vos 20 premiers produits n’a tous les champs de cette adresse. Choisissez un autre champ.',
  unreachable: (path, why) => `${path} : ${why}`,
  why: {
    url_not_allowed: 'cette adresse ne peut pas être ouverte d’ici.',
    blocked_address:
      'le service ne peut pas accéder à ce réseau. S’il fonctionne hors ligne ou si la boutique est sur un réseau interne, ouvrez plutôt l’adresse dans votre navigateur.',
    dns: 'il n’existe aucun site web de ce nom.',
    connect:
      'la boutique ne répond pas. Si le service n’a pas de réseau, ouvrez plutôt l’adresse dans votre navigateur.',
    timeout: 'la boutique met trop de temps à répondre.',
    tls: 'le certificat de la boutique n’est pas valide.',
    too_large: 'la page dépasse 2 Mio.',
    too_many_redirects: 'la boutique redirige les visiteurs en boucle.',
    not_a_page: 'ce n’est pas une page HTML.',
    http_status: 'la boutique refuse cette page.',
  },
  look: 'À quoi ressemble-t-elle ?',
  language: 'Langue',
  asPage: 'Celle de la page de la boutique',
  theme: 'Luminosité',
  themes: { auto: 'Selon la préférence du visiteur', light: 'Claire', dark: 'Sombre' },
  mode: 'S’ouvre',
  modes: { modal: 'par-dessus la page', inline: 'dans la page' },
  place: 'Appareil photo',
  places: { tag: 'à l’endroit de la ligne', field: 'dans le champ de recherche de la boutique' },
  selector: 'Sélecteur du champ de recherche',
  colour: 'Couleur des boutons',
  colourHint:
    'La pipette du champ de couleur prélève une couleur sur une capture d’écran ou sur la boutique dans une autre fenêtre.',
  consent: 'Ne rien stocker avant l’accord du visiteur',
  preview: 'Avec vos produits',
  phone: 'Téléphone',
  desktop: 'Ordinateur',
  previewNeedsKey: 'L’aperçu apparaît dès que la boutique a une clé.',
  previewNoSearch: 'Votre rôle ne permet pas de rechercher ; il n’y a donc pas d’aperçu.',
  previewTitle: 'Aperçu du widget',
  reload: 'Rouvrir l’aperçu',
  previewHint: 'Un aperçu prend fin après 15 minutes. Il n’est compté nulle part.',
  snippet: 'Installez-la dans votre boutique',
  snippetHint: (origins) =>
    `Ajoutez cette ligne avant </body>. La clé est publique et ne fonctionne que sur ${origins}.`,
  copySnippet: 'Copier la ligne',
  download: 'Télécharger lookalike.php',
  downloadHint:
    'Il contient votre clé ; il signale aussi les paniers et les achats, et mène du résultat au produit.',
  css: 'Les couleurs, dans une feuille de style de la boutique',
  policy: 'Si la boutique a une Content-Security-Policy, ajoutez-y',
  copyPolicy: 'Copier la politique',
  copyCss: 'Copier les couleurs',
  send: 'Envoyer à mon développeur',
  mailSubject: 'La recherche par image pour notre boutique',
  mailBody: (system, snippet, policy) =>
    `Bonjour,\n\nVeuillez placer cette ligne avant </body> sur chaque page de notre boutique${system} :\n\n${snippet}\n\n` +
    `Si la boutique envoie une Content-Security-Policy, il faut aussi y ajouter :\n\n${policy}\n\n` +
    'La clé est publique et ne fonctionne qu’aux adresses de notre boutique. Le fonctionnement, et la façon de signaler les paniers et les achats : ',
  where: {
    woocommerce:
      'Placez le fichier lookalike.php dans le dossier wp-content/mu-plugins/ de la boutique ; créez le dossier s’il n’existe pas. Rien d’autre n’est nécessaire.',
    shopify:
      'Boutique en ligne → Thèmes → « … » → Modifier le code → layout/theme.liquid, avant </body>. Les pages de paiement ne l’exécutent pas : signalez les achats depuis votre backend. Les fichiers lookalike-shopify d’une version font de même avec des réglages dans l’éditeur de thème et listent les produits pour un flux.',
    shopware:
      'Dans votre thème : Resources/views/storefront/base.html.twig, dans le bloc base_body_script après {{ parent() }}. Videz ensuite le cache.',
    prestashop:
      'Dans votre thème : templates/layouts/layout-both-columns.tpl, avant </body>. Videz ensuite le cache sous Paramètres avancés → Performances.',
    magento:
      'Content → Design → Configuration → votre boutique → Edit → Footer → Miscellaneous HTML. Indiquez le service dans csp_whitelist.xml, puis videz le cache.',
    opencart:
      'catalog/view/template/common/footer.twig (OpenCart 3 : catalog/view/theme/<votre thème>/template/common/footer.twig), avant </body>.',
    other: 'Dans le modèle commun à toutes les pages de la boutique, avant </body>.',
  },
  seen: 'Est-ce que cela fonctionne ?',
  seenOn: (origin, ago) => `Vu sur ${origin} ${ago}`,
  counts: (searches, clicks) => `Recherches en 7 jours : ${searches} ; clics : ${clicks}`,
  notSeen: (origin) => `Pas encore vu sur ${origin}.`,
  addLine: {
    clicks:
      'Des recherches arrivent, mais aucun clic. Laissez le navigateur suivre les liens des résultats, ou signalez les clics vous-même.',
    carts:
      'Des clics arrivent, mais aucun panier. Là où un produit est ajouté au panier, ajoutez cette ligne :',
    purchases:
      'Aucun achat n’arrive. Sur la page de remerciement de la commande, ajoutez cette ligne pour chaque produit :',
  },
  check: 'Vérifier ma boutique',
  checking: 'Vérification…',
  checkAddress: 'Page à vérifier',
  checkHint:
    'Le service ouvre la page une fois, comme le ferait un inconnu. Pour cela, il a besoin du réseau.',
  facts: {
    snippet: ['La page contient la ligne du widget.', 'La page ne contient pas la ligne du widget.'],
    key: ['Elle porte cette clé.', 'Elle porte une autre clé que celle-ci.'],
    origin: [
      'La clé indique l’adresse de la page.',
      'La clé n’indique pas l’adresse de la page. Ajoutez-la ci-dessus.',
    ],
    policy: [
      'Aucune Content-Security-Policy ne bloque le widget.',
      'La Content-Security-Policy de la page bloque le widget. Elle doit autoriser le service dans : ',
    ],
  },
  byScript: 'Une ligne ajoutée par un autre script ne se voit pas ainsi ; seul compte « Vu sur… ».',
  events: 'Les recherches à mesure qu’elles arrivent',
  watch: 'Observer',
  stop: 'Arrêter',
  watching: 'Observation en cours. Recherchez dans votre boutique : cela apparaît ici en quelques secondes.',
  nothingYet: 'Rien n’est encore arrivé de la boutique.',
  clicked: (clicks) => counted(clicks, 'clic', 'clics'),
  found: (count) => counted(count, 'trouvé', 'trouvés'),
  byPicture: 'une photo',
  bySimilar: 'un de vos produits',
  budget: (perMinute) =>
    counted(perMinute, 'recherche par minute est autorisée.', 'recherches par minute sont autorisées.'),
  refused: (count) => `Refusées aujourd’hui : ${count}.`,
  guide: 'Toutes les options, les événements et les textes : le guide du widget',
}
