import { afterEach, describe, expect, it, vi } from 'vitest'
import { rowOf } from '#testing/rows.ts'
import type { Actividad, Changes } from '../api.ts'
import { toIcs } from './ics.ts'
import { decoded, type Found, readIcs } from './ics-read.ts'

const TODAY = '2026-03-01'

const calendar = (...lines: string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR'].join('\r\n')
const event = (...lines: string[]) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT'].join('\r\n')

function found(text: string, list: readonly Actividad[] = []): readonly Found[] {
  const reading = readIcs(text, list, TODAY)
  if (!reading.ok) throw new Error(reading.sentence)
  return reading.found
}

const only = (...lines: string[]): Changes => {
  const [first, ...others] = found(calendar(event(...lines)))
  expect(others).toEqual([])
  return first?.plan as Changes
}

const sentence = (text: string): string => {
  const reading = readIcs(text, [], TODAY)
  return reading.ok ? '' : reading.sentence
}

const GOOGLE = calendar(
  'PRODID:-//Google Inc//Google Calendar 70.9054//EN',
  'X-WR-TIMEZONE:Europe/Madrid',
  'BEGIN:VTIMEZONE',
  'TZID:Europe/Madrid',
  'BEGIN:STANDARD',
  'DTSTART:19701025T030000',
  'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU',
  'END:STANDARD',
  'END:VTIMEZONE',
  event(
    'DTSTART:20261128T193000Z',
    'DTEND:20261128T213000Z',
    'UID:abc@google.com',
    'SUMMARY:Teatro\\, con los padres',
    'LOCATION:Teatro Real\\, Plaza de Isabel II',
    'DESCRIPTION:Fila 3\\nButacas 7 y 8',
  ),
  event('DTSTART;VALUE=DATE:20261224', 'DTEND;VALUE=DATE:20261227', 'SUMMARY:Navidad'),
)

const APPLE = calendar(
  'PRODID:-//Apple Inc.//macOS 26.0//EN',
  event(
    'SUMMARY:Ensayo',
    'DTSTART;TZID=America/New_York:20260701T200000',
    'DURATION:PT1H30M',
    'RRULE:FREQ=WEEKLY;COUNT=10',
    'UID:1',
    'BEGIN:VALARM',
    'SUMMARY:Otra cosa',
    'TRIGGER:-PT15M',
    'END:VALARM',
  ),
  event('SUMMARY:Ensayo', 'RECURRENCE-ID:20260708', 'DTSTART:20260709T200000Z', 'UID:1'),
)

const OUTLOOK = calendar(
  'PRODID:-//Microsoft Corporation//Outlook 16.0 MIMEDIR//EN',
  'METHOD:PUBLISH',
  event(
    'CLASS:PUBLIC',
    'DTEND;TZID="Romance Standard Time":20261128T003000',
    'DTSTART;TZID="Romance Standard Time":20261127T213000',
    'SUMMARY;LANGUAGE=es:Cena de empresa, larga de contar para que ocu',
    ' pe dos líneas',
    'X-ALT-DESC;FMTTYPE=text/html:<html>no</html>',
  ),
)

describe('a calendar file', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('C13.1 of Google is read on the clock of this device', () => {
    vi.stubEnv('TZ', 'Europe/Madrid')
    expect(found(GOOGLE).map(({ plan }) => plan)).toEqual([
      {
        titulo: 'Teatro, con los padres',
        descripcion: 'Fila 3\nButacas 7 y 8',
        fecha: '2026-11-28',
        presupuesto: null,
        hora: '20:30',
        hora_fin: '22:30',
        lugar: 'Teatro Real, Plaza de Isabel II',
      },
      {
        titulo: 'Navidad',
        descripcion: null,
        fecha: '2026-12-24',
        presupuesto: null,
        fecha_fin: '2026-12-26',
      },
    ])
  })

  it('C13.1 of Apple has what repeats as a series, but for what was moved', () => {
    vi.stubEnv('TZ', 'Europe/Madrid')
    const at = { hora: '02:00', hora_fin: '03:30' }
    expect(found(APPLE).map(({ plan, series }) => ({ ...plan, series }))).toMatchObject([
      { titulo: 'Ensayo', fecha: '2026-07-02', ...at, series: null },
      { titulo: 'Ensayo', fecha: '2026-07-09', hora: '22:00', series: null },
      { fecha: '2026-07-16', ...at, series: { regla: 'semanal', hasta: '2026-09-03', count: 8 } },
    ])
  })

  it('C13.1 of Outlook has zones of its own names, folded lines and a night', () => {
    vi.stubEnv('TZ', 'Atlantic/Canary')
    expect(found(OUTLOOK)[0]?.plan).toEqual({
      titulo: 'Cena de empresa, larga de contar para que ocupe dos líneas',
      descripcion: null,
      fecha: '2026-11-27',
      presupuesto: null,
      hora: '20:30',
      hora_fin: '23:30',
    })
  })

  it('of our own is what was written', () => {
    const row = rowOf({ id: 'a', titulo: 'Ópera; «Tosca»', fecha: '2026-12-01', hora: '21:30:00' })
    const text = toIcs([row as Actividad], new Date('2026-11-21T11:30:00Z'))
    expect(found(text)[0]?.plan).toMatchObject({
      titulo: 'Ópera; «Tosca»',
      fecha: '2026-12-01',
      hora: '21:30',
    })
    expect(found(text, [row as Actividad])[0]?.known).toBe(true)
    expect(found(text, [{ ...row, titulo: 'opera; «tosca»' } as Actividad])[0]?.known).toBe(true)
    expect(found(text, [{ ...row, fecha: '2026-12-02' } as Actividad])[0]?.known).toBe(false)
  })

  it.each<[string, string[], Partial<Changes>]>([
    [
      'an hour that a change of clocks leaves out',
      ['DTSTART;TZID=Europe/Madrid:20260329T023000'],
      { fecha: '2026-03-29', hora: '03:30' },
    ],
    [
      'a zone that nobody knows',
      ['DTSTART;TZID=Luna/Mar:20260401T100000'],
      { fecha: '2026-04-01', hora: '10:00' },
    ],
    [
      '29 February',
      ['DTSTART:20280229T100000', 'DURATION:P1D'],
      { fecha: '2028-02-29', fecha_fin: '2028-03-01', hora_fin: '10:00' },
    ],
    [
      'New Year',
      ['DTSTART:20261231T220000', 'DTEND:20270101T060000'],
      { fecha_fin: '2027-01-01', hora_fin: '06:00' },
    ],
    [
      'an end at midnight',
      ['DTSTART:20260401T220000', 'DTEND:20260402T000000'],
      { fecha: '2026-04-01', hora: '22:00' },
    ],
    [
      'two days to midnight',
      ['DTSTART:20260401T220000', 'DTEND:20260403T000000'],
      { hora: '22:00', fecha_fin: '2026-04-02' },
    ],
  ])('reads %s', (_, lines, wanted) => {
    vi.stubEnv('TZ', 'Europe/Madrid')
    expect(only('SUMMARY:x', ...lines)).toMatchObject(wanted)
  })

  it('0.8 has no signs that turn or hide text, and emoji that are joined stay whole', () => {
    const plan = only(
      'DTSTART:20260401',
      'SUMMARY:👨‍👩‍👧 Co\u200bmida\u202e con\u0007 todos',
      'DESCRIPTION:a\\nb\u2066c',
      'LOCATION:\u3164',
    )
    expect(plan).toMatchObject({ titulo: '👨‍👩‍👧 Comida con todos', descripcion: 'a\nb c' })
    expect(plan).not.toHaveProperty('lugar')
  })

  it('of old programs may be in another encoding', () => {
    const bytes = new Uint8Array([...'SUMMARY:ni'].map((sign) => sign.charCodeAt(0)).concat(0xf1))
    expect(decoded(bytes)).toBe('SUMMARY:niñ')
    expect(decoded(new TextEncoder().encode('ñ'))).toBe('ñ')
  })
})

describe('what repeats', () => {
  afterEach(() => vi.unstubAllEnvs())

  const read = (...lines: string[]) =>
    found(calendar(event('SUMMARY:x', ...lines))).map(({ plan, series, left }) => {
      const dates = series ? `${series.regla} ×${series.count} – ${series.hasta}` : ''
      return [plan.fecha, plan.hora, dates, left].filter(Boolean).join(' ')
    })

  it.each<[string, string[], string[]]>([
    [
      'every week',
      ['DTSTART:20260401', 'RRULE:FREQ=WEEKLY;COUNT=3'],
      ['2026-04-01 semanal ×3 – 2026-04-15'],
    ],
    [
      'on two days of the week',
      ['DTSTART;VALUE=DATE:20260401', 'RRULE:FREQ=WEEKLY;BYDAY=WE,MO;COUNT=5'],
      ['2026-04-01 semanal ×3 – 2026-04-15', '2026-04-06 semanal ×2 – 2026-04-13'],
    ],
    [
      'every two weeks, whose Monday comes first',
      ['DTSTART:20260401', 'RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE;UNTIL=20260429'],
      ['2026-04-01 quincenal ×3 – 2026-04-29', '2026-04-13 quincenal ×2 – 2026-04-27'],
    ],
    [
      'every two weeks, whose Sunday comes first',
      ['DTSTART:20260405', 'RRULE:FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=SU,MO;COUNT=4'],
      ['2026-04-05 quincenal ×2 – 2026-04-19', '2026-04-06 quincenal ×2 – 2026-04-20'],
    ],
    [
      'every seven days',
      ['DTSTART:20260401', 'RRULE:INTERVAL=7;FREQ=DAILY;COUNT=2'],
      ['2026-04-01 semanal ×2 – 2026-04-08'],
    ],
    [
      'every month',
      ['DTSTART:20260405', 'RRULE:FREQ=MONTHLY;BYMONTHDAY=5;UNTIL=20260705'],
      ['2026-04-05 mensual ×4 – 2026-07-05'],
    ],
    [
      'without end, for as long as the form suggests',
      ['DTSTART:20260401', 'RRULE:FREQ=WEEKLY'],
      ['2026-04-01 semanal ×12 – 2026-06-17 later'],
    ],
    [
      'every year since long ago, from this year on',
      ['DTSTART:19900405', 'RRULE:FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=5'],
      ['2026-04-05 anual ×2 – 2027-04-05 later'],
    ],
    [
      'every month since long ago',
      ['DTSTART:20100228', 'RRULE:FREQ=MONTHLY;UNTIL=20260501'],
      ['2026-03-28 mensual ×2 – 2026-04-28'],
    ],
    [
      'and has passed',
      ['DTSTART:20100228', 'RRULE:FREQ=WEEKLY;COUNT=2'],
      ['2010-02-28 semanal ×2 – 2010-03-07'],
    ],
    [
      'for years',
      ['DTSTART:20260401', 'RRULE:FREQ=WEEKLY;COUNT=99'],
      ['2026-04-01 semanal ×52 – 2027-03-24 later'],
    ],
    [
      'but on one day',
      ['DTSTART:20260401', 'RRULE:FREQ=WEEKLY;COUNT=6', 'EXDATE:20260408', 'EXDATE:20260506'],
      ['2026-04-01', '2026-04-15 semanal ×3 – 2026-04-29'],
    ],
    ['once', ['DTSTART:20260401', 'RRULE:FREQ=WEEKLY;COUNT=1'], ['2026-04-01']],
    [
      'until its last beginning, in UTC',
      ['DTSTART;TZID=Europe/Madrid:20260401T013000', 'RRULE:FREQ=WEEKLY;UNTIL=20260407T233000Z'],
      ['2026-04-01 01:30 semanal ×2 – 2026-04-08'],
    ],
    [
      'until before its last hour',
      ['DTSTART;TZID=Europe/Madrid:20260401T193000', 'RRULE:FREQ=WEEKLY;UNTIL=20260408T120000Z'],
      ['2026-04-01 19:30'],
    ],
    [
      'over a change of clocks elsewhere',
      ['DTSTART;TZID=America/New_York:20260401T180000', 'RRULE:FREQ=MONTHLY;COUNT=3'],
      ['2026-04-02 00:00 mensual ×3 – 2026-06-02'],
    ],
    [
      'at an hour that is another after one',
      ['DTSTART;TZID=America/New_York:20261018T180000', 'RRULE:FREQ=WEEKLY;COUNT=4'],
      ['2026-10-19 00:00', '2026-10-25 23:00', '2026-11-02 00:00 semanal ×2 – 2026-11-09'],
    ],
  ])('%s is a series', (_, lines, wanted) => {
    vi.stubEnv('TZ', 'Europe/Madrid')
    expect(read(...lines)).toEqual(wanted)
  })

  it.each([
    ['on the second Tuesday', 'FREQ=MONTHLY;BYDAY=2TU'],
    ['every day', 'FREQ=DAILY'],
    ['every three weeks', 'FREQ=WEEKLY;INTERVAL=3'],
    ['on the 31st, which months lack', 'FREQ=MONTHLY'],
    ['on another weekday than it begins', 'FREQ=WEEKLY;BYDAY=MO'],
    ['on the last weekday', 'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1'],
    ['in a way that nobody knows', 'FREQ=WEEKLY;RSCALE=HEBREW'],
    ['until no day', 'FREQ=WEEKLY;UNTIL=siempre'],
    ['so many times', 'FREQ=WEEKLY;COUNT=-1'],
    ['twice said', 'FREQ=WEEKLY;FREQ=WEEKLY'],
    ['never', ''],
  ])('%s is read for the first time alone, and said so', (_, rule) => {
    expect(read('DTSTART:20260331', `RRULE:${rule}`)).toEqual(['2026-03-31 others'])
  })

  it('in a hostile file is no more than a plan can be', () => {
    const lines = ['DTSTART:00010101', 'RRULE:FREQ=WEEKLY;COUNT=999999999']
    expect(read(...lines)).toEqual(['2026-03-02 semanal ×52 – 2027-02-22 later'])
    expect(read('DTSTART:99991230', 'RRULE:FREQ=WEEKLY')).toEqual(['9999-12-30'])
    const daily = 'RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;COUNT=300'
    const many = Array.from({ length: 500 }, (_, n) =>
      event(`SUMMARY:${n}`, 'DTSTART:20260401', daily),
    )
    expect(sentence(calendar(...many))).toBe('El archivo es demasiado grande.')
  })
})

const START = 'DTSTART:20260401T100000'
const huge = 'x'.repeat(1_000_000)

describe('C13.2 a hostile file', () => {
  it.each([
    ['nothing', ''],
    ['a page', '<html><script>alert(1)</script></html>'],
    ['a picture', '\u0089PNG\r\n\u001a\n\0\0\0'],
    ['another component', 'BEGIN:VCARD\r\nEND:VCARD'],
    ['a calendar later on', 'x\r\nBEGIN:VCALENDAR'],
    ['one endless line', huge],
    ['endless parameters', `BEGIN${';'.repeat(1_000_000)}:VCALENDAR`],
  ])('that is %s is no calendar', (_, text) => {
    expect(sentence(text)).toBe('Ese archivo no es un calendario.')
  })

  it.each([
    ['no event', calendar()],
    ['an event without an end', 'BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:x\nDTSTART:20260401'],
    ['an event without a beginning', calendar(event('SUMMARY:x'))],
    ['a month too many', calendar(event('DTSTART:20261301'))],
    ['a day too many', calendar(event('DTSTART:20260230T100000'))],
    ['no year', calendar(event('DTSTART:00000101'))],
    ['a year too long', calendar(event('DTSTART:999990101'))],
    ['an hour too many', calendar(event('DTSTART:20260401T250000'))],
    ['a zone after the last day', calendar(event('DTSTART;TZID=Etc/GMT+12:99991231T230000'))],
    ['components without end', `BEGIN:VCALENDAR\n${'BEGIN:VEVENT\n'.repeat(50_000)}`],
    ['what was cancelled', calendar(event(START, 'STATUS:CANCELLED'))],
    ['an alarm’s beginning', calendar(event('BEGIN:VALARM', START, 'END:VALARM'))],
  ])('with %s has nothing to import', (_, text) => {
    vi.stubEnv('TZ', 'Europe/Madrid')
    expect(sentence(text)).toBe('Ese calendario no tiene nada que importar.')
    vi.unstubAllEnvs()
  })

  it('of 501 events is too large, and of 500 is read', () => {
    const many = (count: number) =>
      calendar(...Array.from({ length: count }, (_, n) => event(START, `SUMMARY:${n}`)))
    expect(sentence(many(501))).toBe('El archivo es demasiado grande.')
    expect(found(many(500))).toHaveLength(500)
  })

  it.each<[string, string[], Partial<Changes>]>([
    [
      'markup',
      ['SUMMARY:<img src=x onerror=alert(1)>'],
      { titulo: '<img src=x onerror=alert(1)>' },
    ],
    ['a huge title', [`SUMMARY:${huge}`], { titulo: `${'x'.repeat(119)}…` }],
    [
      'a huge description',
      [`DESCRIPTION:${'ñ'.repeat(9000)}`],
      { descripcion: `${'ñ'.repeat(1999)}…` },
    ],
    ['no title', ['SUMMARY:\u200b \u00a0'], { titulo: 'Sin título' }],
    ['control characters', ['SUMMARY:a\u0000b\u001b[31mc\\nd'], { titulo: 'a b [31mc d' }],
    ['turned text', ['SUMMARY:gpj.\u202eexe'], { titulo: 'gpj. exe' }],
    ['half a character', ['SUMMARY:a\ud83d'], { titulo: 'a' }],
    ['properties of objects', ['__proto__:1', 'CONSTRUCTOR:2', 'SUMMARY:x'], { titulo: 'x' }],
    ['a quotation without end', ['SUMMARY;X="a:b', 'SUMMARY:y'], { titulo: 'y' }],
    [
      'an end before the beginning',
      ['DTEND:20250101T100000'],
      { fecha: '2026-04-01', hora: '10:00' },
    ],
    ['an endless duration', ['DURATION:P99999999D'], { fecha: '2026-04-01', hora: '10:00' }],
    ['years of days', ['DURATION:P999D'], { fecha_fin: '2026-05-31' }],
    ['its beginning twice', ['DTSTART:20270101'], { fecha: '2026-04-01' }],
    ['a path for a zone', ['DTEND;TZID=../../etc/passwd:20260401T110000'], { hora_fin: '11:00' }],
  ])('with %s is read as text and within limits', (_, lines, wanted) => {
    const plan = only(START, ...lines)
    expect(plan).toMatchObject(wanted)
    const days = plan.fecha_fin ? Date.parse(plan.fecha_fin) - Date.parse(plan.fecha) : 0
    expect(days / 86_400_000).toBeLessThanOrEqual(60)
  })

  it('with one event many times has it once', () => {
    expect(found(calendar(event(START, 'SUMMARY:a'), event(START, 'SUMMARY:A')))).toHaveLength(1)
  })
})
