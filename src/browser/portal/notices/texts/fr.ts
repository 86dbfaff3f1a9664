import { pluralsIn } from '../../texts/plurals.ts'
import type { NoticeTexts } from '../describe.ts'

const { counted, plural } = pluralsIn('fr')

const products = (count: string) => counted(count, 'produit', 'produits')

export const texts: NoticeTexts = {
  items_failed: ({ failed, total }) =>
    `${failed} sur ${products(total)} ${plural(failed, 'a', 'ont')} échoué dans la dernière tâche avec des échecs.`,
  import_warnings: ({ count }) =>
    `La dernière importation comporte ${counted(count, 'avertissement', 'avertissements')}.`,
  feeds_failing: ({ feeds, failures }) =>
    `${counted(feeds, 'flux n’a pas pu être lu', 'flux n’ont pas pu être lus')}${plural(failures, '', `, jusqu’à ${failures} fois de suite`)}.`,
  feeds_stopped: ({ feeds }) =>
    `${counted(feeds, 'flux n’a', 'flux n’ont')} rien supprimé à la dernière lecture, car trop de produits manquaient.`,
  products_without_name: ({ products: count, total }) =>
    `${count} sur ${products(total)} ${plural(count, 'n’a', 'n’ont')} pas de nom.`,
  products_without_price: ({ products: count, total }) =>
    `${count} sur ${products(total)} ${plural(count, 'n’a', 'n’ont')} pas de prix.`,
  products_without_category: ({ products: count, total }) =>
    `${count} sur ${products(total)} ${plural(count, 'n’a', 'n’ont')} pas de catégorie.`,
  products_without_address: ({ products: count, total }) =>
    `${count} sur ${products(total)} ne ${plural(count, 'mène', 'mènent')} nulle part : l’adresse dans la boutique manque.`,
  products_sold_out: ({ products: count, total }) =>
    `${count} sur ${products(total)} ${plural(count, 'est épuisé', 'sont épuisés')}.`,
  catalogue_report: ({ count }) =>
    `Le rapport sur le catalogue signale ${counted(count, 'point', 'points')} à corriger.`,
  no_clicks: ({ searches, days }) =>
    `${counted(searches, 'recherche', 'recherches')} en ${counted(days, 'jour', 'jours')}, et aucun clic n’arrive.`,
  clicks_unattributed: () =>
    'Des clics arrivent, mais sans indiquer de recherche ; nul ne sait donc ce qui y a mené.',
  clicks_partial: () => 'Certaines pages recherchent et ne signalent aucun clic.',
  no_purchases: () => 'Des recherches et des clics arrivent, mais aucun achat.',
  empty_searches: ({ zero_results, searches, days }) =>
    `${zero_results} sur ${counted(searches, 'recherche', 'recherches')} en ${counted(days, 'jour', 'jours')} ${plural(zero_results, 'n’a', 'n’ont')} rien trouvé.`,
  unmet_demand: ({ searches }) =>
    `Les clients ont montré ${counted(searches, 'image', 'images')} pour ${plural(searches, 'laquelle', 'lesquelles')} la boutique n’a rien de semblable.`,
  products_near_limit: ({ percent, used, limit }) =>
    `Le forfait est utilisé à ${percent} % : ${used} sur ${products(limit)}.`,
  storage_near_limit: ({ percent }) => `Les images occupent ${percent} % de l’espace du forfait.`,
  api_keys_expiring: ({ keys }) =>
    `${counted(keys, 'clé d’API expire', 'clés d’API expirent')} dans les 30 jours.`,
  api_keys_of_former_members: ({ keys }) =>
    `${counted(keys, 'clé d’API', 'clés d’API')} d’anciens membres ne ${plural(keys, 'sert', 'servent')} plus à rien.`,
  webhooks_failing: ({ webhooks, disabled }) =>
    `Les envois vers ${counted(webhooks, 'webhook', 'webhooks')} échouent${disabled === '0' ? '' : ` ; désactivés pour cela : ${disabled}`}.`,
  own_2fa_missing: () => 'Votre compte n’a pas de second facteur.',
  members_without_2fa: ({ members }) =>
    `${counted(members, 'autre membre n’a', 'autres membres n’ont')} pas de second facteur.`,
}
