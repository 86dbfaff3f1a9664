import { pluralsIn } from '../../../../texts/plurals.ts'
import type { Texts } from './en.ts'

const { counted } = pluralsIn('es')

export const texts: Texts = {
  hint: 'El modelo convierte imágenes y palabras en lo que se compara. Las búsquedas siguen mientras las tiendas pasan a otro.',
  modelDirSet:
    'El ajuste MODEL_DIR elige el modelo, así que aquí no se puede cambiar. Quite primero el ajuste y reinicie el servicio.',
  here: 'En esta máquina',
  known: 'Se pueden descargar',
  allHere: 'Todos los modelos conocidos están en esta máquina.',
  states: { in_use: 'En uso', here: 'Listo', known: 'No está aquí', broken: 'No se puede usar' },
  bundled: 'parte del programa',
  statuses: { confirmed: 'Hashes confirmados', unconfirmed: 'Hashes sin confirmar' },
  license: 'Licencia',
  languages: 'Idiomas',
  size: 'En el disco',
  memory: 'Memoria',
  speed: 'Velocidad',
  dimension: 'Longitud de un vector',
  speedOf: (picture, text) => `${picture} ms por imagen, ${text} ms por texto`,
  notMeasured: 'sin medir',
  suits: {
    'clip-vit-base-patch32':
      'Cualquier tienda en una máquina pequeña: el primer paso más allá del modelo incluido, al menor coste.',
    'clip-vit-base-patch16':
      'Tiendas cuyos productos se distinguen por pequeños detalles, como dibujos y estampados, y cuya máquina tiene tiempo para indexar.',
    'mobileclip-s0': 'Pruebas en las máquinas más pequeñas; su licencia es para investigación.',
    'siglip-base-patch16-224':
      'Tiendas con muchas clases de productos que se buscan con palabras; el mejor modelo general de esta lista.',
    'marqo-fashionsiglip': 'Tiendas de ropa, zapatos y complementos.',
    'marqo-ecommerce-b':
      'Tiendas y mercados con artículos de toda clase; aprendió con imágenes y títulos de productos.',
  },

  fetch: (size) => `Descargar (${size})`,
  fetchAtCommandLine:
    'Nadie pudo confirmar los hashes de sus archivos. Se descarga en la línea de órdenes, que los muestra y le pregunta si confía en ellos:',
  filesAtCommandLine: 'Muestra qué archivos hay que descargar, de dónde, y sus hashes:',
  fetching: (name) => `Se está descargando ${name}`,
  fetchSteps: {
    download: 'Descargando',
    copy: 'Copiando',
    load: 'Cargándolo por primera vez',
    measure: 'Midiendo la precisión y la velocidad',
    fit: 'Ajustando sus puntuaciones',
  },
  lastFetch: 'Última descarga',
  cancelFetch: 'Detener la descarga',
  fetchEnds: {
    done: (name) => `${name} ya está aquí y se puede usar.`,
    cancelled: (name) => `Se detuvo la descarga de ${name}. La próxima sigue desde ahí.`,
    failed: (name) => `No se pudo descargar ${name}.`,
  },
  offline:
    'OFFLINE está activado, así que no se descarga nada. Descargue los archivos en otra máquina, traiga su carpeta aquí, por ejemplo en una memoria USB, y añádala:',
  withoutNetwork: 'Sin red, traiga la carpeta aquí, por ejemplo en una memoria USB, y añádala:',
  ownFolder: 'Otro modelo',
  ownFolderHint:
    'Cualquier exportación de un modelo CLIP, MobileCLIP o SigLIP para transformers.js se puede añadir desde una carpeta de esta máquina. Se prueba antes de aparecer aquí:',
  guide: 'Qué modelo, y qué debe contener su carpeta',

  use: 'Pasar a él',
  useSure: (name) => `¿Pasar todas las tiendas a ${name}?`,
  useNow: (name) => `Pasar a ${name}`,
  useHappens:
    'Todas las imágenes se vectorizan de nuevo en segundo plano, detrás de todo lo demás. Hasta que una tienda termina, sus búsquedas responden con el modelo actual; no falta nada.',
  useBack:
    'Puede cancelar en cualquier momento. Durante siete días después del cambio puede volver al instante, o confirmarlo antes.',
  useChecks:
    'Las comprobaciones guardadas de las tiendas se ejecutan antes y después, para que vea qué ha cambiado.',
  useTime: 'Tiempo',
  useTimeOf: (time, pictures) =>
    `aproximadamente ${time} para ${counted(pictures, 'imagen', 'imágenes')}, si la máquina no hace nada más`,
  useTimeUnknown: 'nadie ha medido este modelo; el tiempo restante se muestra cuando empiece el cambio',
  useDisk: 'Espacio en el disco',
  useMemory: 'Memoria',
  useMemoryOf: (size) => `unos ${size} más hasta que se confirme el cambio`,
  useChecked: 'El servicio comprueba el espacio antes de empezar, y se niega si falta.',
  changed: 'Alguien fue más rápido, o algo ha cambiado. La página muestra ahora lo que hay.',

  moving: {
    use: (from, to) => `Las tiendas pasan de ${from} a ${to}`,
    back: (from, to) => `Las tiendas vuelven de ${from} a ${to}`,
    reindex: (_, to) => `Todas las imágenes se vectorizan de nuevo con ${to}`,
  },
  lastMove: 'Último cambio',
  moveEnds: {
    done: (to) => `Todas las tiendas responden con ${to}.`,
    cancelled: (to) => `El cambio a ${to} se canceló.`,
    failed: (to) => `El cambio a ${to} ha fallado. Las tiendas responden como antes.`,
  },
  moveStarts: 'Está a punto de empezar.',
  moveWaits: 'Espera y seguirá por sí mismo:',
  storesDone: (done, all) => `Tiendas: ${done} de ${all}`,
  productsDone: (done, all) => `Productos: ${done} de ${all}`,
  timeLeft: (time) => `quedan aproximadamente ${time}`,
  progress: 'Progreso del cambio',
  failed: (count) => `Productos cuya imagen ya no se pudo obtener: ${count}`,
  failedHint:
    'Las búsquedas con palabras los siguen encontrando. Se intentan de nuevo cuando alguien los cambia.',
  furtherFailed: (count) => `y ${count} más`,
  cancelMove: 'Cancelar el cambio',
  cancelSure: '¿Cancelar el cambio?',
  cancelHappens: 'Las tiendas que ya han pasado vuelven al modelo anterior, cuyos vectores siguen ahí.',
  goOn: 'Dejar que siga',

  former: 'El camino de vuelta',
  formerUntil: (name, until) =>
    `Los vectores de ${name} se guardan hasta el ${until}. Hasta entonces todas las tiendas pueden volver a él; antes solo se vectoriza lo que ha cambiado desde entonces.`,
  back: (name) => `Volver a ${name}`,
  backSure: (name) => `¿Volver a ${name}?`,
  backHappens:
    'Cada tienda responde con él en cuanto se vectoriza lo que ha cambiado desde el cambio; casi siempre es al instante.',
  confirm: (name) => `Quedarse con ${name}`,
  confirmSure: (name) => `¿Quedarse definitivamente con ${name}?`,
  confirmHappens: (former) =>
    `Se borran los vectores de ${former}, lo que libera disco y memoria. Después no hay vuelta rápida.`,

  remove: 'Borrar sus archivos',
  removeSure: (name) => `¿Borrar los archivos de ${name}?`,
  removeHappens: (size) =>
    `Eso libera ${size} en el disco. Para volver a usarlo, alguien tendrá que traerlo otra vez.`,

  checks: 'Comprobaciones guardadas antes y después',
  checksHint:
    'Búsquedas cuyos resultados correctos ha anotado la gente de una tienda. Se ejecutan antes de que una tienda cambie de modelo y después.',
  noChecks: 'Ninguna tienda tiene comprobaciones guardadas. Su gente las guarda en la página «Pruebas».',
  checksNow: 'Ahora',
  checksBefore: 'Antes',
  checksChange: 'Cambio',
  pass: (passed, total) => `${passed} de ${total} superadas`,
  notRun: 'Aún sin ejecutar',
  runsNow: 'En curso',
  better: (count) => `${count} más`,
  worse: (count) => `${count} menos`,
  same: 'Como antes',
  store: 'Tienda',
}
