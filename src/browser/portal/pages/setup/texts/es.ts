import type { Texts } from './en.ts'

export const texts: Texts = {
  title: 'Crear la primera cuenta',
  who: '¿Quién es usted?',
  whoHint: 'Así se crea el propietario de esta instalación. No se envía nada a ninguna parte.',
  store: 'Nombre de su tienda',
  address: 'Su dirección aquí:',
  numbered: 'Otra tienda ya tiene esta dirección, así que la suya llevará un número detrás.',
  make: 'Crear mi tienda',
  making: 'Creando su tienda…',
  badEmail: 'Esto no es un correo electrónico.',
  badStore: 'Un nombre es una línea de 1 a 100 caracteres.',
  ended: 'Este enlace ya no funciona',
  endedHint:
    'Este enlace ya se usó o tiene más de 30 minutos. Ejecute esto donde funciona el servicio, o reinicie el servicio:',
  endedMore: 'El comando muestra un enlace nuevo. Ábralo aquí.',
  incomplete: 'Este enlace está incompleto',
  incompleteHint:
    'Abra el enlace completo que el servicio mostró en el terminal. ¿Lo ha perdido? Ejecute esto donde funciona el servicio:',
  owned: 'Esta instalación ya tiene propietario',
  ownedHint: 'Inicie sesión o pida una invitación al propietario.',
}
