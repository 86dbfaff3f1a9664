import { formatNumber } from '../../../language.ts'
import type { texts as English } from './en.ts'

export const texts: typeof English = {
  heading: 'Relatório do catálogo',
  make: 'Verificar agora',
  waiting: 'Um novo relatório está a ser feito. Chega, no mínimo, cinco minutos depois do anterior.',
  lookedAt: (n: number): string =>
    n === 1 ? '1 produto, verificado' : `${formatNumber(n)} produtos, verificados`,
  none: 'Ainda não há relatório',
  noneHint: 'Todas as noites procuramos imagens e dados que não combinam.',
  fine: 'Nada a corrigir',
  fineHint: 'As imagens e os dados dos produtos combinam, tanto quanto podemos ver.',
  kinds: {
    dead_link: 'Imagens que não foi possível carregar',
    shared_picture: 'Uma imagem, muitos produtos',
    category_mismatch: 'A imagem contradiz a categoria',
    color_mismatch: 'A imagem contradiz a cor',
    near_duplicate: 'Provavelmente o mesmo produto duas vezes',
    tiny_picture: 'Imagens muito pequenas',
    no_words: 'Produtos sem palavras',
  },
  hints: {
    dead_link: 'Corrija o endereço da imagem e importe o produto de novo.',
    shared_picture: 'Talvez uma imagem provisória. Quem pesquisa por imagem não encontra estes produtos.',
    category_mismatch: 'Só categorias que reconhecemos bem nos outros produtos.',
    color_mismatch: 'Só cores que os outros produtos mostram claramente.',
    near_duplicate: 'Ambos mostram a mesma imagem. As variantes pertencem a um grupo.',
    tiny_picture: 'Abaixo de 150 píxeis de lado pouco se reconhece. Envie imagens maiores.',
    no_words: 'Um nome e uma categoria bastam para os encontrar por palavras.',
  },
  andMore: (n: number): string => (n === 1 ? 'e mais 1' : `e mais ${formatNumber(n)}`),
  category: (own: string, seems: string): string => `A categoria é «${own}», e a imagem parece «${seems}».`,
  colour: (name: string): string => `A cor é «${name}», e a imagem não a mostra.`,
  shared: (n: number): string => `${formatNumber(n)} produtos têm esta imagem.`,
  pixels: (width: number, height: number): string => `${width} × ${height} píxeis`,
  twin: 'A mesma imagem que',
  mute: 'Sem nome, categoria, marca, descrição nem etiquetas',
}
