import { pluralsIn } from '../../../texts/plurals.ts'
import type { Texts } from './en.ts'

const { counted } = pluralsIn('es')

export const texts: Texts = {
  heading: 'Elegir una tienda',
  operator: 'Operador de esta instalación',
  operatorPages: 'Ir a las páginas del operador',
  yours: 'Sus tiendas',
  all: 'Todas las tiendas',
  filter: 'Filtrar por nombre',
  suspended: 'Suspendida',
  lastUsed: (ago) => `Último uso: ${ago}`,
  products: (count) => counted(count, 'producto', 'productos'),
  none: 'Aún no pertenece a ninguna tienda. Su propietario puede invitarle.',
  noneFits: 'Ninguna tienda contiene esto en su nombre.',
  roles: { owner: 'Propietario', admin: 'Administrador', developer: 'Desarrollador', viewer: 'Lector' },
  signOut: 'Cerrar sesión',
}
