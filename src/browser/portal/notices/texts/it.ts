import { pluralsIn } from '../../texts/plurals.ts'
import type { NoticeTexts } from '../describe.ts'

const { counted, plural } = pluralsIn('it')

const products = (count: string) => counted(count, 'prodotto', 'prodotti')

export const texts: NoticeTexts = {
  items_failed: ({ failed, total }) =>
    `Nell’ultima operazione con errori ${plural(failed, 'non è riuscito', 'non sono riusciti')} ${failed} su ${products(total)}.`,
  import_warnings: ({ count }) => `L’ultima importazione ha ${counted(count, 'avviso', 'avvisi')}.`,
  feeds_failing: ({ feeds, failures }) =>
    `Non è stato possibile leggere ${counted(feeds, 'feed', 'feed')}${plural(failures, '', `, fino a ${failures} volte di seguito`)}.`,
  feeds_stopped: ({ feeds }) =>
    `${counted(feeds, 'feed non ha', 'feed non hanno')} eliminato nulla nell’ultima lettura, perché mancavano troppi prodotti.`,
  products_without_name: ({ products: count, total }) =>
    `${count} su ${products(total)} ${plural(count, 'è', 'sono')} senza nome.`,
  products_without_price: ({ products: count, total }) =>
    `${count} su ${products(total)} ${plural(count, 'è', 'sono')} senza prezzo.`,
  products_without_category: ({ products: count, total }) =>
    `${count} su ${products(total)} ${plural(count, 'è', 'sono')} senza categoria.`,
  products_without_address: ({ products: count, total }) =>
    `${count} su ${products(total)} non ${plural(count, 'porta', 'portano')} da nessuna parte: manca l’indirizzo nel negozio.`,
  products_sold_out: ({ products: count, total }) =>
    `${count} su ${products(total)} ${plural(count, 'è esaurito', 'sono esauriti')}.`,
  catalogue_report: ({ count }) =>
    `Il rapporto sul catalogo segnala ${counted(count, 'punto', 'punti')} da correggere.`,
  no_clicks: ({ searches, days }) =>
    `${counted(searches, 'ricerca', 'ricerche')} in ${counted(days, 'giorno', 'giorni')}, e non arriva alcun clic.`,
  clicks_unattributed: () =>
    'Arrivano clic, ma senza indicare una ricerca: non si sa che cosa li abbia originati.',
  clicks_partial: () => 'Alcune pagine cercano, ma non segnalano clic.',
  no_purchases: () => 'Arrivano ricerche e clic, ma nessun acquisto.',
  empty_searches: ({ zero_results, searches, days }) =>
    `${zero_results} su ${counted(searches, 'ricerca', 'ricerche')} in ${counted(days, 'giorno', 'giorni')} non ${plural(zero_results, 'ha', 'hanno')} trovato nulla.`,
  unmet_demand: ({ searches }) =>
    `I clienti hanno mostrato ${counted(searches, 'immagine', 'immagini')} per cui il negozio non ha nulla di simile.`,
  products_near_limit: ({ percent, used, limit }) =>
    `Il piano è pieno al ${percent}%: ${used} su ${products(limit)}.`,
  storage_near_limit: ({ percent }) => `Le immagini occupano il ${percent}% dello spazio del piano.`,
  api_keys_expiring: ({ keys }) =>
    `${counted(keys, 'chiave API scade', 'chiavi API scadono')} entro 30 giorni.`,
  api_keys_of_former_members: ({ keys }) =>
    `${counted(keys, 'chiave API', 'chiavi API')} di ex membri non ${plural(keys, 'ha', 'hanno')} più effetto.`,
  webhooks_failing: ({ webhooks, disabled }) =>
    `Gli invii a ${counted(webhooks, 'webhook', 'webhook')} non riescono${disabled === '0' ? '' : `; disattivati per questo: ${disabled}`}.`,
  own_2fa_missing: () => 'Il suo account non ha un secondo fattore.',
  members_without_2fa: ({ members }) =>
    `${counted(members, 'altro membro non ha', 'altri membri non hanno')} un secondo fattore.`,
}
