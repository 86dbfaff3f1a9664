import type { Texts } from './texts.ts'

export const texts: Texts = {
  subject: (store, searches) => `${store}: ${searches} búsquedas la semana pasada`,
  title: (store, period) => `${store}, ${period}`,
  searches: 'Búsquedas',
  clicked: 'Búsquedas con clic',
  revenue: 'Ingresos',
  orders: (count) => `pedidos: ${count}`,
  before: (value) => `la semana anterior: ${value}`,
  missed: 'Buscado y no encontrado',
  photos: 'Fotos sin un resultado parecido',
  unknownPhotos: 'algo que ninguna categoría nombra',
  soldOut: 'Agotado, y buscado',
  searchedTimes: (count) => `búsquedas: ${count}`,
  clickedTimes: (count) => `clics: ${count}`,
  advice: 'Lo que más ayuda ahora',
  advices: {
    'track-clicks': [
      'Hubo búsquedas, pero no se notificó ningún clic. Compruebe que el widget, o el código de su tienda, notifica los clics.',
      'Comprobar el seguimiento',
    ],
    restock: [
      'Sus clientes hacen clic en productos agotados. Repóngalos, o fije arriba lo que pueda sustituirlos.',
      'Abrir los productos',
    ],
    'name-missed': [
      'Indique a la búsqueda qué significan estas palabras en su tienda, o añada un producto así.',
      'Abrir las estadísticas',
    ],
    photos: [
      'Mire qué fotografían sus clientes y no encuentran. Quizá quiera venderlo.',
      'Abrir las estadísticas',
    ],
    'track-purchases': [
      'Sus clientes hacen clic, pero no se notificó ninguna compra. Notifique las compras para ver lo que aporta la búsqueda.',
      'Ver cómo',
    ],
    try: [
      'Todo está en orden. Haga una búsqueda como un cliente, y vea si le gusta lo que sale primero.',
      'Probar una búsqueda',
    ],
  },
  why: 'Recibe este correo los lunes porque es propietario de esta tienda.',
  unsubscribe: 'Darse de baja',
}
