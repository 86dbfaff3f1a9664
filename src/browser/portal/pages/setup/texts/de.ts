import type { Texts } from './en.ts'

export const texts: Texts = {
  title: 'Das erste Konto anlegen',
  who: 'Wer sind Sie?',
  whoHint: 'Damit wird der Inhaber dieser Installation angelegt. Nichts verlässt diesen Rechner.',
  store: 'Name Ihres Shops',
  address: 'Seine Adresse hier:',
  numbered: 'Ein anderer Shop hat diese Adresse; Ihrer bekommt eine Nummer dahinter.',
  make: 'Meinen Shop anlegen',
  making: 'Ihr Shop wird angelegt …',
  badEmail: 'Das ist keine E-Mail-Adresse.',
  badStore: 'Ein Name ist eine Zeile mit 1 bis 100 Zeichen.',
  ended: 'Dieser Link funktioniert nicht mehr',
  endedHint:
    'Dieser Link wurde schon benutzt oder ist älter als 30 Minuten. Führen Sie dies dort aus, wo der Dienst läuft, oder starten Sie den Dienst neu:',
  endedMore: 'Der Befehl zeigt einen neuen Link. Öffnen Sie ihn hier.',
  incomplete: 'Dieser Link ist unvollständig',
  incompleteHint:
    'Öffnen Sie den ganzen Link, den der Dienst im Terminal gezeigt hat. Nicht mehr da? Führen Sie dies dort aus, wo der Dienst läuft:',
  owned: 'Diese Installation hat schon einen Inhaber',
  ownedHint: 'Melden Sie sich an, oder lassen Sie sich vom Inhaber einladen.',
}
