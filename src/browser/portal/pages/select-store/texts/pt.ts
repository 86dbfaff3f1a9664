import { pluralsIn } from '../../../texts/plurals.ts'
import type { Texts } from './en.ts'

const { counted } = pluralsIn('pt')

export const texts: Texts = {
  heading: 'Escolher uma loja',
  operator: 'Operador desta instalação',
  operatorPages: 'Ir para as páginas do operador',
  yours: 'As suas lojas',
  all: 'Todas as lojas',
  filter: 'Filtrar por nome',
  suspended: 'Suspensa',
  lastUsed: (ago) => `Última utilização: ${ago}`,
  products: (count) => counted(count, 'produto', 'produtos'),
  none: 'Ainda não pertence a nenhuma loja. O proprietário de uma loja pode enviar um convite.',
  noneFits: 'Nenhuma loja tem isto no nome.',
  roles: { owner: 'Proprietário', admin: 'Administrador', developer: 'Programador', viewer: 'Leitor' },
  signOut: 'Terminar sessão',
}
