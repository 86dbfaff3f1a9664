import { pluralsIn } from '../../texts/plurals.ts'
import type { NoticeTexts } from '../describe.ts'

const { counted, plural } = pluralsIn('es')

const products = (count: string) => counted(count, 'producto', 'productos')

export const texts: NoticeTexts = {
  items_failed: ({ failed, total }) =>
    `En la última tarea con fallos ${plural(failed, 'ha fallado', 'han fallado')} ${failed} de ${products(total)}.`,
  import_warnings: ({ count }) => `La última importación tiene ${counted(count, 'aviso', 'avisos')}.`,
  feeds_failing: ({ feeds, failures }) =>
    `No se ${plural(feeds, 'ha', 'han')} podido leer ${counted(feeds, 'fuente de productos', 'fuentes de productos')}${plural(failures, '', `, hasta ${failures} veces seguidas`)}.`,
  feeds_stopped: ({ feeds }) =>
    `${counted(feeds, 'fuente de productos no ha', 'fuentes de productos no han')} eliminado nada en la última lectura, porque faltaban demasiados productos.`,
  products_without_name: ({ products: count, total }) =>
    `${count} de ${products(total)} no ${plural(count, 'tiene', 'tienen')} nombre.`,
  products_without_price: ({ products: count, total }) =>
    `${count} de ${products(total)} no ${plural(count, 'tiene', 'tienen')} precio.`,
  products_without_category: ({ products: count, total }) =>
    `${count} de ${products(total)} no ${plural(count, 'tiene', 'tienen')} categoría.`,
  products_without_address: ({ products: count, total }) =>
    `${count} de ${products(total)} no ${plural(count, 'lleva', 'llevan')} a ninguna parte: falta la dirección en la tienda.`,
  products_sold_out: ({ products: count, total }) =>
    `${count} de ${products(total)} ${plural(count, 'está agotado', 'están agotados')}.`,
  catalogue_report: ({ count }) =>
    `El informe del catálogo señala ${counted(count, 'punto', 'puntos')} por corregir.`,
  no_clicks: ({ searches, days }) =>
    `${counted(searches, 'búsqueda', 'búsquedas')} en ${counted(days, 'día', 'días')}, y no llega ningún clic.`,
  clicks_unattributed: () =>
    'Llegan clics, pero no indican ninguna búsqueda, así que nadie sabe qué los provocó.',
  clicks_partial: () => 'Algunas páginas buscan y no comunican clics.',
  no_purchases: () => 'Llegan búsquedas y clics, pero no compras.',
  empty_searches: ({ zero_results, searches, days }) =>
    `${zero_results} de ${counted(searches, 'búsqueda', 'búsquedas')} en ${counted(days, 'día', 'días')} no ${plural(zero_results, 'ha', 'han')} encontrado nada.`,
  unmet_demand: ({ searches }) =>
    `Los clientes han mostrado ${counted(searches, 'imagen', 'imágenes')} sin nada parecido en la tienda.`,
  products_near_limit: ({ percent, used, limit }) =>
    `El plan está al ${percent} %: ${used} de ${products(limit)}.`,
  storage_near_limit: ({ percent }) => `Las imágenes ocupan el ${percent} % del almacenamiento del plan.`,
  api_keys_expiring: ({ keys }) =>
    `${counted(keys, 'clave de API caduca', 'claves de API caducan')} en los próximos 30 días.`,
  api_keys_of_former_members: ({ keys }) =>
    `${counted(keys, 'clave de API', 'claves de API')} de antiguos miembros ya no ${plural(keys, 'sirve', 'sirven')}.`,
  webhooks_failing: ({ webhooks, disabled }) =>
    `Fallan los envíos a ${counted(webhooks, 'webhook', 'webhooks')}${disabled === '0' ? '' : `; desactivados por ello: ${disabled}`}.`,
  own_2fa_missing: () => 'Su cuenta no tiene segundo factor.',
  members_without_2fa: ({ members }) =>
    `${counted(members, 'miembro más no tiene', 'miembros más no tienen')} segundo factor.`,
}
