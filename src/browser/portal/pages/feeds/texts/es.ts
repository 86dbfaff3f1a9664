import { pluralsIn } from '../../../texts/plurals.ts'
import type { Texts } from './en.ts'

const { counted, plural } = pluralsIn('es')

function everyMinutes(minutes: number): string {
  if (minutes === 1_440) return 'Cada 24 horas'
  if (minutes === 60) return 'Cada hora'
  if (minutes % 1_440 === 0) return `Cada ${minutes / 1_440} días`
  if (minutes % 60 === 0) return `Cada ${minutes / 60} horas`
  return plural(minutes, 'Cada minuto', `Cada ${minutes} minutos`)
}

export const texts: Texts = {
  heading: 'Fuentes de productos',
  none: 'Aún no hay ninguna fuente de productos',
  noneHint:
    'Una fuente de productos lee una y otra vez la exportación de su tienda desde su dirección, para que la búsqueda conozca lo que usted vende hoy.',
  add: 'Añadir una fuente de productos',
  create: 'Leerla ahora y de aquí en adelante',
  change: 'Modificar',
  save: 'Guardar la fuente de productos',
  cancel: 'Cancelar',
  address: 'Dirección del archivo',
  addressHint:
    'Un archivo CSV, TSV, NDJSON o XML, también comprimido. Debe poder abrirse sin iniciar sesión en una página.',
  login: 'Acceso a la dirección',
  loginNone: 'Ninguno',
  loginKept: 'El que está guardado',
  loginNew: 'Un usuario y una contraseña',
  withLogin: 'con acceso',
  user: 'Usuario',
  password: 'Contraseña',
  every: 'Con qué frecuencia',
  intervals: { 60: 'Cada hora', 360: 'Cada 6 horas', 1440: 'Cada noche', 10080: 'Cada semana' },
  everyMinutes,
  deletes:
    'Eliminar los productos que trajo esta fuente cuando su archivo ya no los nombre. Si fueran a desaparecer más del 20 %, no se elimina nada hasta que usted lo confirme.',
  deletesToo: 'elimina lo que ya no está',
  statuses: {
    queued: 'Se leerá dentro de un momento',
    running: 'Se está leyendo ahora',
  },
  paused: 'Detenida',
  next: (when) => `próxima lectura ${when}`,
  lastRuns: 'Últimas lecturas',
  outcomes: {
    good: 'Leída',
    same: 'Nada nuevo',
    stopped: 'Leída, sin eliminar nada',
    bad: 'Fallida',
    running: 'Leyéndose',
  },
  added: (count) => counted(count, 'nuevo', 'nuevos'),
  updated: (count) => counted(count, 'modificado', 'modificados'),
  deleted: (count) => counted(count, 'eliminado', 'eliminados'),
  failed: (count) => counted(count, 'fallido', 'fallidos'),
  sameFile: 'el archivo es el mismo',
  nothingNew: 'ningún producto ha cambiado',
  job: 'Detalles',
  brake: (missing, all) =>
    `${plural(missing, 'Falta', 'Faltan')} en el archivo ${all === null ? counted(missing, 'producto', 'productos') : `${missing} de ${counted(all, 'producto', 'productos')}`}, más del 20 %. Un archivo cortado tendría el mismo aspecto, así que no se ha eliminado nada.`,
  unnamed: (missing) =>
    `Productos que faltan en el archivo: ${missing}. Además, algunas de sus filas no nombran ningún producto. Unas pueden corresponder a otros, así que no se ha eliminado nada.`,
  answered: (status) => `El servidor respondió con el estado ${status}.`,
  checkAddress: 'Compruebe la dirección: pulse «Modificar».',
  reasons: {
    dns: 'El nombre del servidor de la dirección no se conoce. Compruebe cómo está escrito.',
    connect: 'No se ha podido conectar con el servidor.',
    timeout: 'El archivo ha tardado demasiado en llegar.',
    tls: 'El certificado del servidor no es válido.',
    too_many_redirects: 'La dirección redirige demasiadas veces.',
    blocked_address: 'La dirección está en una red privada, en la que este servicio no entra.',
    too_large: 'El archivo es demasiado grande.',
  },
  reallyGone: 'Ya no existen de verdad',
  reallyGoneSure: (count) => plural(count, `¿Eliminar ${count} producto?`, `¿Eliminar ${count} productos?`),
  reallyGoneHint:
    'El archivo se lee una vez más. Lo que no nombre se elimina con sus imágenes, solo por esta vez.',
  deleteProducts: (count) => plural(count, `Eliminar ${count} producto`, `Eliminar ${count} productos`),
  runNow: 'Leer ahora',
  stop: 'Detener',
  start: 'Reanudar',
  delete: 'Eliminar la fuente de productos',
  deleteSure: (url) => `¿Eliminar la fuente de productos ${url}?`,
  deleteHint: 'Deja de leerse y se borra su acceso. Sus productos se conservan.',
}
