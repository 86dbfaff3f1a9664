import { pluralsIn } from '../../../texts/plurals.ts'
import type { Texts } from './en.ts'

const { counted, plural } = pluralsIn('es')

export const texts: Texts = {
  heading: 'La búsqueda en su tienda',
  lead: 'Una línea de HTML pone la búsqueda por imagen en su tienda. Avance de arriba abajo; todo se puede cambiar después.',
  noRights:
    'Su rol no permite ver las claves del widget. Un propietario, un administrador o un desarrollador sí puede.',
  factsLocked: 'Solo los propietarios y administradores pueden cambiar esto.',
  saved: 'Guardado',
  system: '¿Con qué funciona su tienda?',
  systems: {
    woocommerce: 'WooCommerce',
    shopify: 'Shopify',
    shopware: 'Shopware',
    prestashop: 'PrestaShop',
    magento: 'Magento',
    opencart: 'OpenCart',
    other: 'Otro sistema',
  },
  origin: '¿Dónde está su tienda?',
  shopAddress: 'Dirección de su tienda',
  shopAddressHint: 'Tal como la escribe un cliente, por ejemplo www.shop.example',
  badAddress: 'Esto no es la dirección de un sitio web. Debe parecerse a www.shop.example.',
  allowed: 'El widget funciona en estas direcciones y en ninguna otra:',
  makeKey: 'Crear la clave',
  makingKey: 'Creando la clave…',
  key: 'Clave',
  keyHint:
    'La clave es pública: está en todas las páginas de la tienda y solo funciona en las direcciones que enumera.',
  keyUnknown:
    'Esta clave procede de una versión anterior y no se puede mostrar. Cree una nueva para obtener la línea.',
  addAddress: 'Añadir una dirección',
  add: 'Añadir',
  removeAddress: (origin) => `Quitar ${origin}`,
  saveAddresses: 'Guardar las direcciones',
  anotherKey: 'Crear otra clave',
  revoke: 'Revocar esta clave',
  revokeSure: (name) => `¿Revocar la clave «${name}»?`,
  revokeSeen: (origin, ago) => `La búsqueda desaparece de ${origin}. Último uso allí: ${ago}.`,
  revokeUnseen: 'Ninguna tienda ha usado aún esta clave.',
  revokeEnd: 'Las páginas con esta clave necesitarán otra. Una clave revocada no se puede recuperar.',
  address: '¿Dónde se abren sus productos?',
  addressHint:
    'Los productos con dirección propia la conservan. En los demás, {product_id}, {sku} u otro campo representa el valor del producto.',
  template: 'Dirección de un producto',
  test: 'Probarla con tres productos',
  testing: 'Probando…',
  save: 'Guardar esta dirección',
  opens: (path) => `abre ${path}`,
  answers: (path, status) =>
    status === 404 ? `${path}: la tienda no tiene esa página (404)` : `${path}: la tienda responde ${status}`,
  noneFits:
    'Ninguno de sus primeros 20 productos tiene todos los campos de esta dirección. Elija otro campo.',
  unreachable: (path, why) => `${path}: ${why}`,
  why: {
    url_not_allowed: 'esta dirección no se puede abrir desde aquí.',
    blocked_address:
      'el servicio no puede acceder a esta red. Si funciona sin conexión o la tienda está en una red interna, abra la dirección en su navegador.',
    dns: 'no existe ningún sitio web con ese nombre.',
    connect: 'la tienda no responde. Si el servicio no tiene red, abra la dirección en su navegador.',
    timeout: 'la tienda tarda demasiado en responder.',
    tls: 'el certificado de la tienda no es válido.',
    too_large: 'la página supera los 2 MiB.',
    too_many_redirects: 'la tienda redirige a los visitantes en círculo.',
    not_a_page: 'no es una página HTML.',
    http_status: 'la tienda rechaza esta página.',
  },
  look: '¿Qué aspecto tiene?',
  language: 'Idioma',
  asPage: 'El de la página de la tienda',
  theme: 'Brillo',
  themes: { auto: 'El que prefiera el visitante', light: 'Claro', dark: 'Oscuro' },
  mode: 'Se abre',
  modes: { modal: 'sobre la página', inline: 'dentro de la página' },
  place: 'Cámara',
  places: { tag: 'donde está la línea', field: 'en el campo de búsqueda de la tienda' },
  selector: 'Selector del campo de búsqueda',
  colour: 'Color de los botones',
  colourHint:
    'El cuentagotas del campo de color toma un color de una captura de pantalla o de la tienda en otra ventana.',
  consent: 'No guardar nada antes de que el visitante dé su consentimiento',
  preview: 'Con sus productos',
  phone: 'Teléfono',
  desktop: 'Ordenador',
  previewNeedsKey: 'La vista previa aparece cuando la tienda tiene una clave.',
  previewNoSearch: 'Su rol no permite buscar, así que no hay vista previa.',
  previewTitle: 'Vista previa del widget',
  reload: 'Volver a abrir la vista previa',
  previewHint: 'Una vista previa termina a los 15 minutos. No se contabiliza en ningún sitio.',
  snippet: 'Póngala en su tienda',
  snippetHint: (origins) =>
    `Añada esta línea antes de </body>. La clave es pública y solo funciona en ${origins}.`,
  copySnippet: 'Copiar la línea',
  download: 'Descargar lookalike.php',
  downloadHint:
    'Ya contiene su clave; además comunica los carritos y las compras, y lleva del resultado al producto.',
  css: 'Los colores, en una hoja de estilos de la tienda',
  policy: 'Si la tienda tiene una Content-Security-Policy, añádale',
  copyPolicy: 'Copiar la política',
  copyCss: 'Copiar los colores',
  send: 'Enviar a mi desarrollador',
  mailSubject: 'La búsqueda por imagen para nuestra tienda',
  mailBody: (system, snippet, policy) =>
    `Hola:\n\nPor favor, ponga esta línea antes de </body> en todas las páginas de nuestra tienda${system}:\n\n${snippet}\n\n` +
    `Si la tienda envía una Content-Security-Policy, esta necesita además:\n\n${policy}\n\n` +
    'La clave es pública y solo funciona en las direcciones de nuestra tienda. Cómo funciona y cómo se comunican los carritos y las compras: ',
  where: {
    woocommerce:
      'Ponga el archivo lookalike.php en la carpeta wp-content/mu-plugins/ de la tienda; cree la carpeta si no existe. No hace falta nada más.',
    shopify:
      'Tienda online → Temas → «…» → Editar código → layout/theme.liquid, antes de </body>. Las páginas de pago no la ejecutan: comunique las compras desde su backend. Los archivos lookalike-shopify de una versión hacen lo mismo con ajustes en el editor de temas y listan los productos para una fuente de productos.',
    shopware:
      'En su tema: Resources/views/storefront/base.html.twig, en el bloque base_body_script después de {{ parent() }}. Después, vacíe la caché.',
    prestashop:
      'En su tema: templates/layouts/layout-both-columns.tpl, antes de </body>. Después, vacíe la caché en Parámetros avanzados → Rendimiento.',
    magento:
      'Content → Design → Configuration → su tienda → Edit → Footer → Miscellaneous HTML. Incluya el servicio en csp_whitelist.xml y vacíe la caché.',
    opencart:
      'catalog/view/template/common/footer.twig (OpenCart 3: catalog/view/theme/<su tema>/template/common/footer.twig), antes de </body>.',
    other: 'En la plantilla que comparten todas las páginas de la tienda, antes de </body>.',
  },
  seen: '¿Funciona?',
  seenOn: (origin, ago) => `Visto en ${origin} ${ago}`,
  counts: (searches, clicks) => `Búsquedas en 7 días: ${searches}; clics: ${clicks}`,
  notSeen: (origin) => `Aún no se ha visto en ${origin}.`,
  addLine: {
    clicks:
      'Llegan búsquedas, pero no clics. Deje que el navegador siga los enlaces de los resultados o comunique usted los clics.',
    carts: 'Llegan clics, pero no carritos. Añada esta línea donde un producto se pone en el carrito:',
    purchases:
      'No llegan compras. En la página de agradecimiento del pedido, añada esta línea para cada producto:',
  },
  check: 'Comprobar mi tienda',
  checking: 'Comprobando…',
  checkAddress: 'Página que se comprueba',
  checkHint: 'El servicio abre la página una vez, como lo haría un desconocido. Para ello necesita la red.',
  facts: {
    snippet: ['La página tiene la línea del widget.', 'La página no tiene la línea del widget.'],
    key: ['Lleva esta clave.', 'Lleva una clave distinta de esta.'],
    origin: [
      'La clave incluye la dirección de la página.',
      'La clave no incluye la dirección de la página. Añádala arriba.',
    ],
    policy: [
      'Ninguna Content-Security-Policy bloquea el widget.',
      'La Content-Security-Policy de la página bloquea el widget. Debe incluir el servicio en: ',
    ],
  },
  byScript: 'Una línea que añade otro script no se ve de este modo; lo que cuenta es «Visto en…».',
  events: 'Búsquedas a medida que llegan',
  watch: 'Observar',
  stop: 'Detener',
  watching: 'Observando. Busque en su tienda y la búsqueda aparecerá aquí en unos segundos.',
  nothingYet: 'Aún no ha llegado nada de la tienda.',
  clicked: (clicks) => counted(clicks, 'clic', 'clics'),
  found: (count) => counted(count, 'encontrado', 'encontrados'),
  byPicture: 'una foto',
  bySimilar: 'un producto suyo',
  budget: (perMinute) =>
    `Se ${plural(perMinute, 'permite', 'permiten')} ${counted(perMinute, 'búsqueda', 'búsquedas')} por minuto.`,
  refused: (count) => `Rechazadas hoy: ${count}.`,
  guide: 'Todas las opciones, eventos y textos: la guía del widget',
}
