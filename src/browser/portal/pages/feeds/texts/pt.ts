import { pluralsIn } from '../../../texts/plurals.ts'
import type { Texts } from './en.ts'

const { counted } = pluralsIn('pt')

function everyMinutes(minutes: number): string {
  if (minutes === 1_440) return 'A cada 24 horas'
  if (minutes === 60) return 'De hora a hora'
  if (minutes % 1_440 === 0) return `A cada ${minutes / 1_440} dias`
  return minutes % 60 === 0 ? `A cada ${minutes / 60} horas` : `A cada ${minutes} minutos`
}

const countProducts = (count: string) => counted(count, 'produto', 'produtos')

export const texts: Texts = {
  heading: 'Feeds',
  none: 'Ainda não há feeds',
  noneHint:
    'Um feed lê repetidamente a exportação da sua loja a partir do endereço dela, para que a pesquisa saiba o que vende hoje.',
  add: 'Adicionar um feed',
  create: 'Ler agora e daqui em diante',
  change: 'Alterar',
  save: 'Guardar o feed',
  cancel: 'Cancelar',
  address: 'Endereço do ficheiro',
  addressHint:
    'Um ficheiro CSV, TSV, NDJSON ou XML, também comprimido. Tem de abrir sem iniciar sessão numa página.',
  login: 'Credenciais para o endereço',
  loginNone: 'Nenhumas',
  loginKept: 'As que estão guardadas',
  loginNew: 'Um nome de utilizador e uma palavra-passe',
  withLogin: 'com credenciais',
  user: 'Nome de utilizador',
  password: 'Palavra-passe',
  every: 'Com que frequência',
  intervals: {
    60: 'De hora a hora',
    360: 'A cada 6 horas',
    1440: 'Todas as noites',
    10080: 'Todas as semanas',
  },
  everyMinutes,
  deletes:
    'Eliminar os produtos que este feed trouxe quando deixarem de estar no ficheiro. Se forem mais de 20%, nada é eliminado sem a sua confirmação.',
  deletesToo: 'elimina o que falta',
  statuses: { queued: 'Será lido dentro de momentos', running: 'Está a ser lido agora' },
  paused: 'Parado',
  next: (when) => `próxima leitura ${when}`,
  lastRuns: 'As últimas leituras',
  outcomes: {
    good: 'Lido',
    same: 'Nada de novo',
    stopped: 'Lido, nada eliminado',
    bad: 'Falhou',
    running: 'A ser lido',
  },
  added: (count) => `novos: ${count}`,
  updated: (count) => `alterados: ${count}`,
  deleted: (count) => `eliminados: ${count}`,
  failed: (count) => `falhados: ${count}`,
  sameFile: 'o ficheiro é o mesmo',
  nothingNew: 'nenhum produto é diferente',
  job: 'Detalhes',
  brake: (missing, all) =>
    `Faltam no ficheiro ${all === null ? countProducts(missing) : `${missing} de ${countProducts(all)}`}, mais de 20%. Um ficheiro cortado tem o mesmo aspeto, por isso nada foi eliminado.`,
  unnamed: (missing) =>
    `Produtos que faltam no ficheiro: ${missing}. Além disso, algumas linhas não indicam o produto. Uns podem corresponder às outras, por isso nada foi eliminado.`,
  answered: (status) => `O servidor respondeu com o estado ${status}.`,
  checkAddress: 'Verifique o endereço: prima «Alterar».',
  reasons: {
    dns: 'O nome do servidor no endereço não é conhecido. Verifique a grafia.',
    connect: 'Não foi possível ligar ao servidor.',
    timeout: 'O ficheiro demorou demasiado a chegar.',
    tls: 'O certificado do servidor não é válido.',
    too_many_redirects: 'O endereço redireciona demasiadas vezes.',
    blocked_address: 'O endereço está numa rede privada, em que este serviço não entra.',
    too_large: 'O ficheiro é demasiado grande.',
  },
  reallyGone: 'Já não existem mesmo',
  reallyGoneSure: (count) => `Eliminar ${countProducts(count)}?`,
  reallyGoneHint:
    'O ficheiro é lido mais uma vez. O que lá não estiver é eliminado com as suas imagens, só desta vez.',
  deleteProducts: (count) => `Eliminar ${countProducts(count)}`,
  runNow: 'Ler agora',
  stop: 'Parar',
  start: 'Retomar',
  delete: 'Eliminar o feed',
  deleteSure: (url) => `Eliminar o feed ${url}?`,
  deleteHint: 'Deixa de ser lido e as suas credenciais são apagadas. Os produtos mantêm-se.',
}
