import { pluralsIn } from '../../../texts/plurals.ts'
import type { Texts } from './en.ts'

const { counted } = pluralsIn('es')

export const texts: Texts = {
  fact: (searches, clicks) =>
    `${counted(searches, 'búsqueda', 'búsquedas')} en 7 días, ${counted(clicks, 'clic', 'clics')}`,
  quiet: 'Ninguna búsqueda en los últimos 7 días',
  empty: 'Su tienda está lista',
  searches: 'Búsquedas',
  clicks: 'Clics',
  orders: 'Pedidos',
  revenue: 'Ingresos',
  products: 'Productos',
  before: (value) => `${value} la semana anterior`,
  plot: 'Búsquedas por día',
  plotText: (now, before) => `Búsquedas en los últimos 7 días: ${now}; en los 7 días anteriores: ${before}.`,
  thisWeek: 'Estos 7 días',
  lastWeek: '7 días anteriores',
  noticed: 'Hemos observado',
  allWell: 'No hay nada pendiente.',
  latest: 'Últimas búsquedas',
  noneYet: 'Las búsquedas aparecen aquí a medida que llegan. Haga una en Pruebas.',
  tryOne: 'Probar una búsqueda',
  byPicture: 'Una imagen',
  bySimilar: 'Parecido a un producto',
  found: (count) => counted(count, 'encontrado', 'encontrados'),
  nothing: 'sin resultados',
  checklist: 'Siguientes pasos',
  steps: {
    products: 'Añadir productos',
    first_search: 'Hacer una primera búsqueda',
    shop_address: 'Indicar dónde está su tienda',
    widget_seen: 'Poner la búsqueda en su tienda',
    first_click: 'Ver el primer clic',
    second_factor: 'Proteger su inicio de sesión con un segundo factor',
  },
  done: 'hecho',
  todo: 'pendiente',
  noRights: 'No puede ver las cifras de esta tienda. Su propietario puede darle permiso.',
}
