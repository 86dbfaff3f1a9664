import { pluralsIn } from '../../texts/plurals.ts'
import type { NoticeTexts } from '../describe.ts'

const { counted, plural } = pluralsIn('nl')

const products = (count: string) => counted(count, 'product', 'producten')

export const texts: NoticeTexts = {
  items_failed: ({ failed, total }) =>
    `In de laatste taak met fouten ${plural(failed, 'is', 'zijn')} ${failed} van ${products(total)} mislukt.`,
  import_warnings: ({ count }) =>
    `De laatste import heeft ${counted(count, 'waarschuwing', 'waarschuwingen')}.`,
  feeds_failing: ({ feeds, failures }) =>
    `${counted(feeds, 'feed kon', 'feeds konden')} niet worden gelezen${plural(failures, '', `, tot ${failures} keer achter elkaar`)}.`,
  feeds_stopped: ({ feeds }) =>
    `${counted(feeds, 'feed heeft', 'feeds hebben')} de laatste keer niets verwijderd, omdat er te veel producten ontbraken.`,
  products_without_name: ({ products: count, total }) =>
    `${count} van ${products(total)} ${plural(count, 'heeft', 'hebben')} geen naam.`,
  products_without_price: ({ products: count, total }) =>
    `${count} van ${products(total)} ${plural(count, 'heeft', 'hebben')} geen prijs.`,
  products_without_category: ({ products: count, total }) =>
    `${count} van ${products(total)} ${plural(count, 'heeft', 'hebben')} geen categorie.`,
  products_without_address: ({ products: count, total }) =>
    `${count} van ${products(total)} ${plural(count, 'leidt', 'leiden')} nergens heen: het adres in de webwinkel ontbreekt.`,
  products_sold_out: ({ products: count, total }) =>
    `${count} van ${products(total)} ${plural(count, 'is', 'zijn')} uitverkocht.`,
  catalogue_report: ({ count }) =>
    `Het catalogusrapport noemt ${counted(count, 'punt', 'punten')} om te verbeteren.`,
  no_clicks: ({ searches, days }) =>
    `${counted(searches, 'zoekopdracht', 'zoekopdrachten')} in ${counted(days, 'dag', 'dagen')}, en er komt geen klik binnen.`,
  clicks_unattributed: () =>
    'Er komen klikken binnen zonder zoekopdracht erbij, dus niemand weet waar ze vandaan komen.',
  clicks_partial: () => 'Sommige pagina’s zoeken wel, maar melden geen klikken.',
  no_purchases: () => 'Er komen zoekopdrachten en klikken binnen, maar geen aankopen.',
  empty_searches: ({ zero_results, searches, days }) =>
    `${zero_results} van ${counted(searches, 'zoekopdracht', 'zoekopdrachten')} in ${counted(days, 'dag', 'dagen')} ${plural(zero_results, 'vond', 'vonden')} niets.`,
  unmet_demand: ({ searches }) =>
    `Klanten lieten ${counted(searches, 'foto', 'foto’s')} zien waarvoor de winkel niets vergelijkbaars had.`,
  products_near_limit: ({ percent, used, limit }) =>
    `Het abonnement is voor ${percent}% gevuld: ${used} van ${products(limit)}.`,
  storage_near_limit: ({ percent }) => `Foto’s vullen ${percent}% van de opslag van het abonnement.`,
  api_keys_expiring: ({ keys }) =>
    `${counted(keys, 'API-sleutel verloopt', 'API-sleutels verlopen')} binnen 30 dagen.`,
  api_keys_of_former_members: ({ keys }) =>
    `${counted(keys, 'API-sleutel', 'API-sleutels')} van vroegere leden ${plural(keys, 'werkt', 'werken')} niet meer.`,
  webhooks_failing: ({ webhooks, disabled }) =>
    `Berichten aan ${counted(webhooks, 'webhook', 'webhooks')} mislukken${disabled === '0' ? '' : `; daarom uitgeschakeld: ${disabled}`}.`,
  own_2fa_missing: () => 'Uw account heeft geen tweede factor.',
  members_without_2fa: ({ members }) =>
    `${counted(members, 'ander lid heeft', 'andere leden hebben')} geen tweede factor.`,
}
