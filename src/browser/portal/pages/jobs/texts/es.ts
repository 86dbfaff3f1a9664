import { pluralsIn } from '../../../texts/plurals.ts'
import type { Texts } from './en.ts'

const { plural } = pluralsIn('es')

export const texts: Texts = {
  heading: 'Tareas',
  all: 'Todas las tareas',
  none: 'Aún no hay tareas',
  noneHint:
    'Aquí aparecen las importaciones y las fuentes de productos, con su resultado. Se conservan 30 días.',
  importFile: 'Importar un archivo',
  what: 'Qué',
  state: 'Estado',
  by: 'Iniciada por',
  when: 'Cuándo',
  service: 'El servicio',
  types: {
    bulk_index: 'Productos por la API',
    import: 'Importación',
    feed: 'Fuente de productos',
    search_checks: 'Comprobaciones guardadas',
    search_replay: 'Búsquedas repetidas',
  },
  sources: {
    file: 'Un archivo',
    feed: 'Una fuente de productos',
    api: 'Productos por la API',
    cli: 'Un archivo por la línea de comandos',
  },
  authors: {
    person: 'Alguien que ya no está en la tienda',
    key: 'Una clave de API',
    machine: 'El secreto de cliente',
    operator: 'El operador del servicio',
  },
  startedBy: (name) => `Iniciada por ${name}`,
  states: { processing: 'En curso', completed: 'Terminada', failed: 'Fallida', cancelled: 'Cancelada' },
  counts: {
    succeeded: 'Escritos',
    unchanged: 'Sin cambios',
    failed: 'Fallidos',
    cancelled: 'No empezados',
  },
  mayLeave: 'Puede salir de esta página: la tarea continúa.',
  toProducts: 'Mostrar los productos',
  noticed: 'Hemos observado',
  cancel: 'Cancelar la tarea',
  cancelSure: '¿Cancelar esta tarea?',
  cancelHint: (count) =>
    plural(
      count,
      `No se escribirá ${count} producto. Los ya escritos se conservan.`,
      `No se escribirán ${count} productos. Los ya escritos se conservan.`,
    ),
  gone: 'Esta tarea no existe',
  goneHint: 'Las tareas se conservan 30 días después de terminar.',
  open: 'Productos que han fallado',
  failures: (count) => plural(count, `Ha fallado ${count} producto`, `Han fallado ${count} productos`),
  row: (row) => `Elemento ${row}`,
  retry: 'Reintentar',
  retrying: 'Reintentando…',
  retryAll: 'Reintentar todos',
  downloadRows: 'Descargar las filas fallidas en CSV',
  answered: (status) => `No se ha podido cargar la imagen: el servidor respondió ${status}.`,
  reasons: {
    dns: 'El nombre del servidor de la imagen no tiene dirección. Compruebe cómo está escrito.',
    connect: 'No se ha podido conectar con el servidor de la imagen.',
    timeout: 'La imagen ha tardado demasiado en llegar.',
    tls: 'El certificado del servidor de la imagen no es válido.',
    http_status: 'El servidor de la imagen respondió con un error.',
    too_many_redirects: 'La dirección de la imagen redirige demasiadas veces.',
    blocked_address: 'La imagen está en una red privada, en la que este servicio no entra.',
    too_large: 'La imagen es demasiado grande.',
    not_an_image: 'En esta dirección no hay ninguna imagen; a menudo es una página web.',
  },
}
