/** Texts of lazily loaded screens, in their chunks. */

/** Results of a mailed link. */
export const openingLink = {
  bad: 'El enlace no es válido o ha caducado. Pide otro.',
  half: 'Falta un paso: abre también el enlace que enviamos a la otra dirección.',
  address: 'Tu correo ha cambiado',
  confirmed: 'Tu correo está confirmado',
} as const

/** The sections of the settings. */
export const sections = {
  account: 'Cuenta',
  data: 'Tus datos',
  close: 'Cerrar',
  alerts: 'Avisos',
  calendar: 'Calendario',
  couple: 'Pareja',
} as const

export const otherDateForm = {
  submit: 'Proponer',
  same: 'Elige otra fecha',
  sameHour: 'Elige otra fecha u otra hora',
} as const

export const account = {
  saveName: 'Guardar nombre',
  nameSaved: 'Nombre cambiado',
  changeEmail: 'Cambiar el correo',
  emailNow: 'Ahora es',
  newEmail: 'Correo nuevo',
  sendEmail: 'Cambiar correo',
  emailSent: 'Te hemos enviado un correo a la dirección nueva y a la de ahora. Confirma los dos.',
  changePassword: 'Cambiar la contraseña',
  currentPassword: 'Contraseña actual',
  currentRequired: 'Escribe tu contraseña actual',
  wrongPassword: 'Esa no es tu contraseña actual',
  othersEnd: 'Se cerrará la sesión en tus otros dispositivos',
  remove: 'Eliminar cuenta',
  removeQuestion: '¿Eliminar tu cuenta para siempre?',
  removeText:
    'Se borran tu perfil, los planes que propusiste, tus comentarios, gastos y fotos. Lo que propuso tu pareja lo conserva tu pareja.',
  removeForGood: 'Eliminar para siempre',
} as const

export const yourData = {
  everything: 'Descargar todo',
  table: 'Descargar una tabla (.csv)',
  calendar: 'Descargar un calendario (.ics)',
} as const

/** The header of the CSV file. */
export const table = {
  columns: [
    'Fecha',
    'Último día',
    'Hora',
    'Hasta',
    'Título',
    'Lugar',
    'Descripción',
    'Presupuesto',
    'Estado',
    'Propuesta por',
  ],
} as const

export const trash = {
  title: 'Papelera',
  text: 'Lo que eliminas se puede recuperar durante 30 días.',
  empty: 'La papelera está vacía.',
  recover: 'Recuperar',
  clear: 'Vaciar',
  clearQuestion: '¿Quieres vaciar la papelera?',
  clearText: 'Lo que hay en ella ya no se podrá recuperar.',
  cleared: 'La papelera está vacía',
} as const

/** The form's optional fields. */
export const moreDetails = {
  title: 'Más detalles',
  hora: 'Hora',
  hora_fin: 'Hasta',
  fecha_fin: 'Último día',
  lugar: 'Lugar',
  needsHour: 'Pon también la hora de inicio',
  endBeforeStart: 'La hora de fin va después de la de inicio',
  lastBeforeFirst: 'El último día va después del primero',
  tooLong: 'Como mucho 60 días',
} as const

/** Notifications of the partner's actions other than answers. */
export const partnerActions = {
  one: {
    proposed: (name: string, title: string) => `${name} propone «${title}»`,
    recovered: (name: string, title: string) => `${name} ha recuperado «${title}»`,
    deleted: (name: string, title: string) => `${name} ha eliminado «${title}»`,
  },
  several: {
    proposed: (name: string, count: number) => `${name} propone ${count} planes`,
    recovered: (name: string, count: number) => `${name} ha recuperado ${count} planes`,
    deleted: (name: string, count: number) => `${name} ha eliminado ${count} planes`,
  },
  series: (name: string, title: string, count: number) =>
    `${name} propone «${title}», ${count} fechas`,
} as const

/** Plans that repeat. */
export const series = {
  repeats: 'Se repite',
  once: 'No se repite',
  until: 'Repetir hasta',
  untilWhen: 'Elige hasta cuándo se repite',
  never: 'Con esa última fecha no se repite',
  tooMany: 'Como mucho 52 fechas',
  tooLong: 'Como mucho dos años',
  dates: (count: number, last: string) => `${count} fechas, hasta el ${last}`,
  total: (amount: string) => `${amount} en total`,
  show: 'Ver fechas',
  accept: (count: number) => `Aceptar las ${count}`,
  reject: (count: number) => `Rechazar las ${count}`,
  accepted: (count: number) => `¡${count} fechas aceptadas!`,
  rejected: (count: number) => `${count} fechas rechazadas`,
  whichChange: '¿Qué fechas cambian?',
  whichDelete: '¿Qué fechas se eliminan?',
  this: 'Solo esta',
  following: 'Esta y las siguientes',
  pending: 'Todas las pendientes',
} as const

export const talk = {
  title: 'Conversación',
  none: 'Aún no habéis comentado nada.',
  write: 'Escribe un comentario',
  send: 'Enviar',
  message: 'Mensaje',
  notSent: 'No se ha enviado',
  remove: 'Eliminar comentario',
  removed: 'Comentario eliminado',
  recovered: 'Comentario recuperado',
  reasonBy: (name: string) => `Motivo de ${name}`,
  react: 'Reaccionar',
  reactions: {
    me_encanta: 'Me encanta',
    que_ganas: 'Qué ganas',
    que_risa: 'Qué risa',
    de_acuerdo: 'De acuerdo',
    no_lo_se: 'No lo sé',
    que_pena: 'Qué pena',
  },
} as const

export const specialDaysForm = {
  title: 'Fechas especiales',
  add: 'Añadir fecha especial',
  titulo: '¿Qué celebráis?',
  titleRequired: 'Escribe qué celebráis',
  everyYear: 'Cada año',
  removed: 'Fecha especial eliminada',
  recovered: 'Fecha especial recuperada',
  save: 'Guardar',
} as const

export const ideas = {
  title: 'Algún día',
  add: 'Añadir idea',
  edit: 'Editar idea',
  save: 'Guardar',
  note: 'Nota',
  like: 'Me apetece',
  to: 'A',
  likes: 'le apetece',
  both: 'A los dos os apetece',
  others: 'Otras ideas',
  date: 'Poner fecha',
  none: 'Apuntad aquí lo que os gustaría hacer algún día.',
  removeQuestion: '¿Quieres eliminar esta idea?',
} as const

/** What plans really cost. */
export const costs = {
  title: 'Gastos',
  asked: '¿Cuánto costó?',
  amount: 'Importe',
  noAmount: 'Escribe cuánto se pagó',
  who: '¿Quién pagó?',
  sharing: 'Reparto',
  inHalves: 'A medias',
  otherShare: 'Otro reparto',
  shareOf: (name: string) => `Parte de ${name}`,
  badPercent: 'Escribe un número entero de 0 a 100',
  add: 'Añadir gasto',
  save: 'Guardar',
  paidBy: 'pagó',
  halves: 'a medias',
  percent: (parte: number) => `${parte} % de`,
  removed: 'Gasto eliminado',
  recovered: 'Gasto recuperado',
  spent: 'Gastado',
  owes: 'debe',
  owed: 'debía',
  to: 'a',
  even: 'Estáis en paz',
  nothing: 'Este mes no habéis anotado ningún gasto.',
  settle: 'Saldar',
  settledOn: (day: string) => `Saldado el ${day}`,
  annul: 'Anular',
} as const

/** Photos of a plan. */
export const photos = {
  title: 'Recuerdos',
  none: 'Aún no hay recuerdos de este plan.',
  add: 'Añadir fotos',
  alt: (name: string, plan: string) => `Foto de ${name}, ${plan}`,
  yours: (plan: string) => `Foto tuya, ${plan}`,
  unreadable: 'No se ha podido leer esa foto.',
  full: 'Hay demasiadas fotos esperando. Cuando se suban podrás añadir más.',
  waiting: (count: number) =>
    count === 1 ? '1 foto espera conexión' : `${count} fotos esperan conexión`,
  sending: (count: number) => (count === 1 ? 'Subiendo 1 foto' : `Subiendo ${count} fotos`),
  discard: 'Descartar',
  failed: 'No se ha podido subir',
  previous: 'Foto anterior',
  next: 'Foto siguiente',
  of: (n: number, count: number) => `${n} de ${count}`,
  gone: 'Esta foto no se puede mostrar ahora.',
  caption: 'Pie de foto',
  describe: 'Escribir un pie de foto',
  redescribe: 'Cambiar el pie de foto',
  save: 'Guardar',
  deleted: 'Foto eliminada',
  leaveQuestion: '¿Quieres salir?',
  unsent: (count: number) =>
    count === 1
      ? 'Hay 1 foto sin subir. Si sales, se pierde.'
      : `Hay ${count} fotos sin subir. Si sales, se pierden.`,
  everything: 'Descargar las fotos (.zip)',
  noneToSave: 'Aún no hay fotos que descargar.',
  left: 'Foto tuya',
  leftTitle: 'Fotos de antes',
  leftText: 'Las hiciste tú en planes que ya no compartes. Solo las ves tú.',
} as const

export const sayReason = {
  label: 'Motivo',
  send: 'Enviar motivo',
  notNow: 'Ahora no',
  sent: 'Motivo enviado',
} as const

export const history = {
  somebody: 'Alguien',
  you: 'Tú',
  what: {
    propuesto: ['propusiste el plan', 'propuso el plan'],
    aceptado: ['lo aceptaste', 'lo aceptó'],
    rechazado: ['lo rechazaste', 'lo rechazó'],
    recuperado: ['lo recuperaste', 'lo recuperó'],
    editado: ['cambiaste', 'cambió'],
  },
  waitsAgain: 'Vuelve a estar pendiente',
  field: {
    titulo: 'el título',
    descripcion: 'la descripción',
    fecha: 'la fecha',
    presupuesto: 'el precio',
    hora: 'la hora',
    hora_fin: 'la hora de fin',
    fecha_fin: 'el último día',
    lugar: 'el lugar',
  },
  nothing: 'nada',
} as const

export const agenda = {
  search: 'Buscar',
  placeholder: 'Busca por título, descripción o lugar',
  filters: 'Filtros',
  estado: { pendiente: 'Pendientes', aceptado: 'Aceptados', rechazado: 'Rechazados' },
  mine: 'Míos',
  theirs: (name: string) => `De ${name}`,
  before: 'De antes',
  clear: 'Quitar filtros',
  results: (count: number) => (count === 1 ? '1 resultado' : `${count} resultados`),
  nothing: 'Nada coincide con tu búsqueda.',
  none: 'No hay planes por delante.',
  earlier: 'Ver anteriores',
  later: 'Ver más planes',
} as const

export const week = {
  previous: 'Semana anterior',
  next: 'Semana siguiente',
} as const

export const subscription = {
  open: 'Suscribirse desde otro calendario',
  text: 'Con esta dirección secreta, cualquier calendario muestra vuestros planes y los mantiene al día. Quien la tenga puede verlos.',
  address: 'Dirección del calendario',
  copy: 'Copiar dirección',
  webcal: 'Abrir en mi calendario',
  revoke: 'Revocar',
  revokeQuestion: '¿Quieres revocar la dirección del calendario?',
  revokeText:
    'Los calendarios que la usan dejarán de recibir vuestros planes. Después podéis crear otra.',
  revoked: 'La dirección ya no funciona',
} as const

/** «Importar un calendario (.ics)». */
export const importing = {
  open: 'Importar un calendario (.ics)',
  title: 'Importar un calendario',
  notACalendar: 'Ese archivo no es un calendario.',
  tooLarge: 'El archivo es demasiado grande.',
  nothing: 'Ese calendario no tiene nada que importar.',
  unreadable: 'No se ha podido leer el archivo.',
  untitled: 'Sin título',
  which: 'Elige qué quieres proponer',
  left: {
    others: 'Se repite: se importa solo la primera vez',
    later: 'Se repite más tiempo: se importan solo estas fechas',
  },
  known: 'Ya lo tenéis',
  submit: (count: number) => (count === 1 ? 'Proponer 1 plan' : `Proponer ${count} planes`),
  all: 'Elegir todos',
  none: 'No elegir ninguno',
  progress: 'Planes propuestos',
  done: (count: number) => (count === 1 ? '1 plan propuesto' : `${count} planes propuestos`),
  partly: (count: number, of: number) =>
    `Se ${count === 1 ? 'ha' : 'han'} propuesto ${count} de ${of} ${of === 1 ? 'plan' : 'planes'}`,
  failed: (count: number) =>
    count === 1 ? 'Este no se ha podido proponer:' : `Estos ${count} no se han podido proponer:`,
} as const

export const alerts = {
  label: 'Avisos del sistema',
  detail: 'Cuando la pestaña no está a la vista',
  blocked: 'El navegador tiene bloqueados los avisos de esta página',
  onThisDevice: 'Avisos en este dispositivo',
  closedToo: 'También con la aplicación cerrada',
  install:
    'En iPhone y iPad, añade primero la app a la pantalla de inicio: Compartir › Añadir a pantalla de inicio.',
  which: 'De qué avisar',
  events: {
    propuestas: 'Propuestas nuevas',
    respuestas: 'Respuestas y cambios',
    eliminados: 'Planes eliminados',
    comentarios: 'Comentarios',
    recordatorios: 'Recordatorios',
  },
  reminders: 'Recordatorios de los planes aceptados',
  dayBefore: 'El día antes',
  dayBeforeAt: 'El día antes, a las',
  hourBefore: 'Una hora antes',
  byMail: 'También por correo',
  how: 'Cómo avisar',
  showTitle: 'Mostrar el título del plan',
  quiet: 'No molestar',
  from: 'Desde',
  until: 'Hasta',
  try: 'Enviar un aviso de prueba',
  tried: 'Aviso de prueba enviado',
  others: 'Otros dispositivos',
  remove: 'Quitar',
} as const

export const appearance = {
  title: 'Apariencia',
  system: 'Como el sistema',
  light: 'Claro',
  dark: 'Oscuro',
} as const

export const budgetProblems = {
  'not-a-number': 'Escribe una cantidad, por ejemplo 12,50',
  negative: 'El presupuesto no puede ser negativo',
  'too-precise': 'Usa como mucho dos decimales',
  'too-large': 'El presupuesto es demasiado grande',
} as const

export const activityForm = {
  titulo: 'Título',
  descripcion: 'Descripción',
  fecha: 'Fecha',
  presupuesto: 'Presupuesto',
  optional: 'opcional',
  currency: '€',
  past: 'Esta fecha ya pasó',
  readAs: (amount: string) => `Son ${amount}`,
  sameDay: 'Ese día ya hay',
  submit: 'Crear actividad',
} as const

/** What an invitation says before it is accepted. */
export const offer = {
  confirmTitle: (name: string) => `¿Planear junto a ${name}?`,
  againTitle: (name: string) => `¿Volver a planear junto a ${name}?`,
  shared: (name: string) => `${name} verá lo que has propuesto sin pareja, y tú lo suyo.`,
  beforeStays: 'Lo de antes sigue siendo solo tuyo.',
  comesBack: (count: number) =>
    count === 1
      ? 'Vuelve el plan que teníais en común.'
      : `Vuelven los ${count} planes que teníais en común.`,
  accept: 'Aceptar invitación',
} as const

/** The partner, and ending the pairing. */
export const parting = {
  with: 'Planeas con',
  unlink: 'Desvincular',
  unlinkQuestion: '¿Quieres dejar de compartir el calendario?',
  unlinkText:
    'Cada uno conserva solo lo que propuso, en «De antes», y nadie más lo ve. Si teníais una dirección de calendario, deja de funcionar. Si volvéis a emparejaros, vuelven los planes de los dos.',
} as const
