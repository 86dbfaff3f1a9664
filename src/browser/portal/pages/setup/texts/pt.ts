import type { Texts } from './en.ts'

export const texts: Texts = {
  title: 'Criar a primeira conta',
  who: 'Quem é?',
  whoHint: 'Cria a conta do proprietário desta instalação. Nada é enviado para lado nenhum.',
  store: 'Nome da sua loja',
  address: 'O endereço dela aqui:',
  numbered: 'Outra loja já tem este endereço, por isso o seu leva um número no fim.',
  make: 'Criar a minha loja',
  making: 'A criar a sua loja…',
  badEmail: 'Isto não é um endereço de e-mail.',
  badStore: 'Um nome é uma linha de 1 a 100 carateres.',
  ended: 'Este link já não funciona',
  endedHint:
    'Este link já foi usado ou tem mais de 30 minutos. Execute este comando onde o serviço está a funcionar, ou reinicie o serviço:',
  endedMore: 'O comando mostra um novo link. Abra-o aqui.',
  incomplete: 'Este link está incompleto',
  incompleteHint:
    'Abra o link completo que o serviço mostrou no terminal. Perdeu-o? Execute este comando onde o serviço está a funcionar:',
  owned: 'Esta instalação já tem proprietário',
  ownedHint: 'Inicie sessão ou peça um convite ao proprietário.',
}
