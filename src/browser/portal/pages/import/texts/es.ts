import { pluralsIn } from '../../../texts/plurals.ts'
import type { FindingTexts } from '../describe-finding.ts'
import type { Texts } from './en.ts'

const { counted, plural } = pluralsIn('es')

/** What the service found in a file. */
const findings: FindingTexts = {
  encoding_guessed: ({ encoding }) =>
    `El archivo no está en UTF-8. Se ha leído como ${encoding}: compruebe las letras con acento.`,
  column_unknown: ({ column }) => `El archivo no tiene ninguna columna «${column}».`,
  price_without_tax: ({ column }) =>
    `Los precios de la columna «${column}» no incluyen impuestos, y la tienda quizá los muestre con ellos.`,
  fields_without_column: ({ fields, products }) =>
    `No se ha encontrado columna para: ${fields}. Faltará en ${counted(products, 'producto', 'productos')}. Elija la columna arriba.`,
  results_without_links: () =>
    'Ninguna columna contiene la dirección de un producto y la tienda no tiene ninguna: los resultados no llevarán a ninguna parte. Indique en la página «Widget» dónde se abren sus productos.',
  prices_without_currency: () =>
    'Ninguna columna contiene la moneda y la tienda no tiene ninguna: los precios se muestran sin ella. Elíjala en los ajustes de la tienda.',
  sale_not_below_price: ({ products }) =>
    `${counted(products, 'producto tiene', 'productos tienen')} un precio rebajado que no es inferior al precio: se omite.`,
  sale_dates_unreadable: ({ products }) =>
    `${counted(products, 'producto tiene', 'productos tienen')} una rebaja con fechas ilegibles: se omite. Escriba las fechas así: 2030-12-24.`,
  category_too_deep: ({ products }) =>
    `${counted(products, 'producto tiene', 'productos tienen')} una categoría de más de 10 niveles: se conservan los 10 primeros.`,
  parent_missing: ({ products }) =>
    `${counted(products, 'variante indica', 'variantes indican')} un producto principal que no está en el archivo y no ${plural(products, 'recibe', 'reciben')} nada de él. Exporte todos los productos en un solo archivo.`,
  parent_not_kept: ({ products }) =>
    `${counted(products, 'variante no recibe', 'variantes no reciben')} nada del producto principal, porque el archivo tiene demasiados productos con variantes. Divídalo.`,
  products_hidden: ({ products }) =>
    `Se ${plural(products, 'omite', 'omiten')} ${counted(products, 'producto', 'productos')}: borradores o sin publicar.`,
  vectors_of_another_model: ({ products }) =>
    `${counted(products, 'producto trae', 'productos traen')} vectores de otro modelo: se leen las imágenes en su lugar.`,
  dry_run_stopped: ({ line, products }) =>
    `Tras ${counted(products, 'producto erróneo', 'productos erróneos')}, la revisión se detuvo en la línea ${line}: los recuentos llegan hasta ahí.`,
  file_not_kept: () =>
    'El servicio no tiene sitio ahora para guardar el archivo: se enviará otra vez para la importación.',
}

/** What is wrong with the columns, by the code of the API. */
const problems: Readonly<Record<string, string>> = {
  column_unknown: 'Una columna elegida no está en este archivo. Elija otra.',
  pages_not_pictures:
    'La columna de la imagen contiene direcciones de páginas. Elija la que tiene las direcciones de las imágenes (.jpg, .png, .webp).',
}

export const texts: Texts = {
  heading: 'Importar un archivo',
  isRight: '¿Es correcto?',
  noRights:
    'Con su rol puede ver los productos, pero no importarlos. Un propietario o un administrador puede cambiarlo.',
  choose: 'Elegir un archivo',
  chooseOther: 'Elegir otro archivo',
  drop: 'o arrástrelo aquí',
  kinds: 'CSV, TSV, NDJSON, XML o un archivo zip con una tabla y sus imágenes. Como máximo 100 MB.',
  fromShops:
    'Las exportaciones de WooCommerce, Shopify, PrestaShop, Magento, OpenCart y Google Merchant se entienden tal como son, en cualquier idioma. No se escribe nada hasta que usted lo haya visto.',
  fromAddress: '¿El archivo está en una dirección? Leerlo desde allí.',
  sending: 'Se está enviando el archivo',
  reading: 'Se está leyendo el archivo y se descargan sus primeras imágenes',
  cancel: 'Cancelar',
  troubles: {
    empty: 'Este archivo está vacío.',
    too_large: 'Este archivo supera los 100 MB.',
    spreadsheet: 'Esto es una hoja de cálculo, no una tabla de texto.',
    expired: 'El servicio guarda un archivo durante 30 minutos, y ya han pasado.',
    unreadable: 'No se puede leer este archivo.',
  },
  cures: {
    empty: 'Vuelva a exportarlo desde su tienda y elíjalo aquí.',
    too_large: 'Divídalo en varios archivos o comprímalo con zip o gzip.',
    spreadsheet: 'Ábralo en su hoja de cálculo, guárdelo como CSV (UTF-8) y elija ese archivo.',
    expired: 'Envíelo otra vez: se conserva todo lo que ha elegido aquí.',
  },
  sendAgain: (name) => `Enviar «${name}» otra vez`,
  first: (count) => plural(count, 'El primer producto', `Los primeros ${count} productos`),
  picturesFailed: (failed, all) =>
    `No se ${plural(failed, 'ha', 'han')} podido cargar ${failed} de ${counted(all, 'imagen', 'imágenes')}. Los demás productos se importan igualmente.`,
  noPicture: 'Imagen no cargada',
  columns: 'Cómo se leen sus columnas',
  fields: {
    image_url: 'la imagen',
    product_id: 'el número de producto',
    name: 'el nombre',
    price: 'el precio',
    sale_price: 'el precio rebajado',
    category: 'la categoría',
    brand: 'la marca',
    color_name: 'el color',
    in_stock: 'las existencias',
    url: 'la dirección en su tienda',
    additional_image_urls: 'otras imágenes',
    description: 'la descripción',
    currency: 'la moneda',
    tags: 'las etiquetas',
    variant_group: 'el grupo de variantes',
    sku: 'la referencia',
    gtin: 'el número del código de barras',
    rating: 'la valoración',
    sale_price_from: 'el primer día de la rebaja',
    sale_price_until: 'el último día de la rebaja',
  },
  tails: {
    image_url: 'parece la imagen',
    product_id: 'parece el número de producto',
    name: 'parece el nombre',
    price: 'parece el precio',
    sale_price: 'parece el precio rebajado',
    category: 'parece la categoría',
    brand: 'parece la marca',
    color_name: 'parece el color',
    in_stock: 'dice qué hay en existencias',
    url: 'parece la dirección en su tienda',
    additional_image_urls: 'contiene otras imágenes',
    description: 'parece la descripción',
    currency: 'parece la moneda',
    tags: 'parece contener las etiquetas',
    variant_group: 'agrupa las variantes',
    sku: 'parece la referencia',
    gtin: 'parece el número del código de barras',
    rating: 'parece la valoración',
    sale_price_from: 'dice cuándo empieza la rebaja',
    sale_price_until: 'dice cuándo termina la rebaja',
  },
  keptAs: (key) => `se conserva como «${key}»`,
  nothingFills: (field) => `Ninguna columna contiene ${field}`,
  columnFor: (field) => `Columna para ${field}`,
  noColumn: 'Ninguna columna',
  openFields: 'Campos sin columna',
  losses: 'Lo que se perdería',
  lossesHint: 'Nada lee estas columnas. Si conserva una, podrá mostrarla y filtrar por ella.',
  loss: (count) => `tiene un valor en ${count} de las primeras filas, por ejemplo`,
  keep: 'Conservar',
  keepAll: 'Conservarlas todas',
  changes: 'Qué cambia',
  new: 'Nuevos',
  changed: 'Modificados',
  unchanged: 'Sin cambios',
  gone: 'Ausentes del archivo',
  hidden: (count) => `Borradores y productos ocultos que se omiten: ${count}.`,
  invalid: (count) =>
    plural(count, `No se puede importar ${count} fila`, `No se pueden importar ${count} filas`),
  line: (line) => `Línea ${line}`,
  findings,
  problems,
  noticed: 'Hemos observado',
  choices: 'Importación',
  variants: 'Variantes',
  variantsTogether: 'Un producto con todas sus variantes',
  variantsApart: 'Cada variante es un producto',
  missing: 'Productos que no están en el archivo',
  missingKeep: 'Conservarlos',
  missingDelete: 'Eliminarlos',
  willDelete: (count) =>
    plural(
      count,
      `Desaparecerá ${count} producto de la tienda con sus imágenes.`,
      `Desaparecerán ${count} productos de la tienda con sus imágenes.`,
    ),
  brake: (count, all) =>
    `Ya no existen de verdad. ${count} de ${counted(all, 'producto', 'productos')} no ${plural(count, 'está', 'están')} en este archivo; un archivo cortado tendría el mismo aspecto.`,
  run: (count) => plural(count, `Importar ${count} producto`, `Importar ${count} productos`),
  starting: 'La importación empieza…',
  summary: (added, changed) => `Nuevos: ${added}; modificados: ${changed}`,
  nothingToRun: 'No se puede importar ninguna fila de este archivo.',
  nightly: 'Repetir cada noche desde una dirección',
  nightlyAddress: 'Dirección del archivo',
  nightlyHint:
    'Donde su tienda vuelve a dejar la misma exportación. Se lee enseguida y después cada 24 horas, con lo elegido aquí.',
  nightlyMake: 'Repetir cada noche',
  feedMade: 'Se está leyendo ahora y después se leerá cada 24 horas.',
  toFeeds: 'Mostrar las fuentes de productos',
}
