import { formatNumber } from '../../../language.ts'
import type { texts as English } from './en.ts'

export const texts: typeof English = {
  heading: 'Informe del catálogo',
  make: 'Comprobar ahora',
  waiting: 'Se está preparando un informe nuevo. Llega como muy pronto cinco minutos después del anterior.',
  lookedAt: (n: number): string =>
    n === 1 ? '1 producto, revisado' : `${formatNumber(n)} productos, revisados`,
  none: 'Todavía no hay informe',
  noneHint: 'Cada noche buscamos imágenes y datos que no encajan.',
  fine: 'Nada que corregir',
  fineHint: 'Las imágenes y los datos de sus productos encajan, hasta donde podemos ver.',
  kinds: {
    dead_link: 'Imágenes que no se pudieron cargar',
    shared_picture: 'Una imagen, muchos productos',
    category_mismatch: 'La imagen contradice la categoría',
    color_mismatch: 'La imagen contradice el color',
    near_duplicate: 'Probablemente el mismo producto dos veces',
    tiny_picture: 'Imágenes muy pequeñas',
    no_words: 'Productos sin palabras',
  },
  hints: {
    dead_link: 'Corrija la dirección de la imagen e importe el producto de nuevo.',
    shared_picture: 'Quizá sea una imagen provisional. Quien busca por imagen no encuentra estos productos.',
    category_mismatch: 'Solo categorías que reconocemos bien en sus otros productos.',
    color_mismatch: 'Solo colores que sus otros productos muestran con claridad.',
    near_duplicate: 'Ambos muestran la misma imagen. Las variantes van en un grupo.',
    tiny_picture: 'Por debajo de 150 píxeles de lado se reconoce poco. Envíe imágenes más grandes.',
    no_words: 'Basta un nombre y una categoría para encontrarlos con palabras.',
  },
  andMore: (n: number): string => (n === 1 ? 'y 1 más' : `y ${formatNumber(n)} más`),
  category: (own: string, seems: string): string =>
    `Su categoría es «${own}», y la imagen parece «${seems}».`,
  colour: (name: string): string => `Su color es «${name}», y la imagen no muestra nada de él.`,
  shared: (n: number): string => `${formatNumber(n)} productos tienen esta imagen.`,
  pixels: (width: number, height: number): string => `${width} × ${height} píxeles`,
  twin: 'La misma imagen que',
  mute: 'Sin nombre, categoría, marca, descripción ni etiquetas',
}
