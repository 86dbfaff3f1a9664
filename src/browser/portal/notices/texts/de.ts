import { pluralsIn } from '../../texts/plurals.ts'
import type { NoticeTexts } from '../describe.ts'

const { counted, plural } = pluralsIn('de')

const products = (count: string) => counted(count, 'Produkt', 'Produkten')

export const texts: NoticeTexts = {
  items_failed: ({ failed, total }) =>
    `Im letzten Auftrag mit Fehlern ${plural(failed, 'ist', 'sind')} ${failed} von ${products(total)} fehlgeschlagen.`,
  import_warnings: ({ count }) =>
    `Beim letzten Import ${plural(count, 'gab es 1 Hinweis', `gab es ${count} Hinweise`)}.`,
  feeds_failing: ({ feeds, failures }) =>
    `${counted(feeds, 'Feed ließ', 'Feeds ließen')} sich nicht lesen${plural(failures, '', `, bis zu ${failures}-mal in Folge`)}.`,
  feeds_stopped: ({ feeds }) =>
    `${counted(feeds, 'Feed hat', 'Feeds haben')} beim letzten Lauf nichts gelöscht, weil zu viele Produkte fehlten.`,
  products_without_name: ({ products: count, total }) =>
    `${count} von ${products(total)} ${plural(count, 'hat', 'haben')} keinen Namen.`,
  products_without_price: ({ products: count, total }) =>
    `${count} von ${products(total)} ${plural(count, 'hat', 'haben')} keinen Preis.`,
  products_without_category: ({ products: count, total }) =>
    `${count} von ${products(total)} ${plural(count, 'hat', 'haben')} keine Kategorie.`,
  products_without_address: ({ products: count, total }) =>
    `${count} von ${products(total)} ${plural(count, 'führt', 'führen')} nirgendwohin: Die Adresse im Shop fehlt.`,
  products_sold_out: ({ products: count, total }) =>
    `${count} von ${products(total)} ${plural(count, 'ist', 'sind')} ausverkauft.`,
  catalogue_report: ({ count }) => `Der Katalogbericht nennt ${counted(count, 'Befund', 'Befunde')}.`,
  no_clicks: ({ searches, days }) =>
    `${counted(searches, 'Suche', 'Suchen')} in ${counted(days, 'Tag', 'Tagen')}, aber es kommt kein Klick an.`,
  clicks_unattributed: () =>
    'Klicks kommen an, nennen aber keine Suche. Deshalb ist unbekannt, was zu ihnen geführt hat.',
  clicks_partial: () => 'Einige Seiten suchen, melden aber keine Klicks.',
  no_purchases: () => 'Suchen und Klicks kommen an, aber keine Käufe.',
  empty_searches: ({ zero_results, searches, days }) =>
    `${zero_results} von ${counted(searches, 'Suche', 'Suchen')} in ${counted(days, 'Tag', 'Tagen')} ${plural(zero_results, 'fand', 'fanden')} nichts.`,
  unmet_demand: ({ searches }) =>
    `Kunden haben ${counted(searches, 'Bild', 'Bilder')} gezeigt, zu ${plural(searches, 'dem', 'denen')} der Shop nichts Ähnliches hat.`,
  products_near_limit: ({ percent, used, limit }) =>
    `Der Tarif ist zu ${percent} % ausgeschöpft: ${used} von ${products(limit)}.`,
  storage_near_limit: ({ percent }) => `Bilder belegen ${percent} % des Speichers im Tarif.`,
  api_keys_expiring: ({ keys }) =>
    `${counted(keys, 'API-Schlüssel läuft', 'API-Schlüssel laufen')} in den nächsten 30 Tagen ab.`,
  api_keys_of_former_members: ({ keys }) =>
    `${counted(keys, 'API-Schlüssel', 'API-Schlüssel')} früherer Mitglieder ${plural(keys, 'bewirkt', 'bewirken')} nichts mehr.`,
  webhooks_failing: ({ webhooks, disabled }) =>
    `Nachrichten an ${counted(webhooks, 'Webhook', 'Webhooks')} schlagen fehl${disabled === '0' ? '' : `; deshalb ausgeschaltet: ${disabled}`}.`,
  own_2fa_missing: () => 'Ihr Konto hat keinen zweiten Faktor.',
  members_without_2fa: ({ members }) =>
    `${counted(members, 'weiteres Mitglied hat', 'weitere Mitglieder haben')} keinen zweiten Faktor.`,
}
