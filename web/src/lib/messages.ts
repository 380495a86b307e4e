/**
 * Every text of the interface. The specification's own come first, verbatim; the others are ours.
 * Tests hold their own copies, so a slip here cannot hide itself.
 */

/** «Ana y Luis», but «Ana e Inés»: «y» gives way before its own sound, unless another vowel follows it. */
const both = (names: readonly string[]): string =>
  names.join(/^h?[iíy](?![aeiouáéíóú])/i.test(names[1] ?? '') ? ' e ' : ' y ')

/** Section 8 of the specification. */
export const catalogue = {
  genericFailure: 'Ocurrió un error',
  welcomeBack: '¡Bienvenido de vuelta!',
  accountCreated: '¡Cuenta creada! Puedes iniciar sesión',
  accepted: '¡Actividad aceptada!',
  rejected: 'Actividad rechazada',
  updateFailed: 'Error al actualizar actividad',
  deleteQuestion: '¿Estás seguro de eliminar esta actividad?',
  deleted: 'Actividad eliminada',
  deleteFailed: 'Error al eliminar actividad',
  created: '¡Actividad creada!',
  createFailed: 'Error al crear actividad',
  partnerUpdated: '¡Tu pareja actualizó una actividad!',
  signInFirst: 'Debes iniciar sesión',
  outsideAuthProvider: 'useAuth debe usarse dentro de un AuthProvider',
} as const

/** Section 5 of the specification; the three at the end are ours. */
export const rules = {
  nameRequired: 'Por favor ingresa tu nombre',
  titleRequired: 'El título es requerido',
  dateRequired: 'La fecha es requerida',
  email: 'Escribe un correo electrónico válido',
  password: 'La contraseña debe tener al menos 6 caracteres',
  code: 'El código tiene 8 letras o números',
} as const

export const requests = {
  unanswered: 'El servidor no responde. Inténtalo de nuevo.',
} as const

export const product = {
  name: 'Planes en Pareja',
  loading: 'Cargando...',
  crashed: 'Algo ha fallado al mostrar esta página.',
  reload: 'Volver a cargar',
  notLoaded: 'No se ha podido cargar.',
  retry: 'Reintentar',
  theme: 'Tema oscuro',
  notifications: 'Notificaciones',
  closeNotification: 'Cerrar notificación',
  cancel: 'Cancelar',
} as const

export const landing = {
  tagline:
    'La mejor forma de organizar actividades con tu pareja: calendario compartido, presupuestos y notificaciones en tiempo real.',
  start: 'Comenzar Ahora',
  farewell: 'Tu cuenta se ha eliminado',
  features: {
    calendar: {
      title: 'Calendario Compartido',
      text: 'Propón un plan, tu pareja lo acepta o lo rechaza, y los dos veis el mismo mes.',
    },
    budget: {
      title: 'Control de Presupuesto',
      text: 'Pon precio a cada plan y mira cuánto suman los que ya habéis aceptado.',
    },
    live: {
      title: 'Notificaciones Instantáneas',
      text: 'Entérate en el momento en que tu pareja responde o propone algo nuevo.',
    },
  },
} as const

export const notFound = {
  text: 'Oops! Page not found',
  home: 'Volver al inicio',
} as const

export const auth = {
  login: 'Iniciar Sesión',
  register: 'Crear Cuenta',
  noAccount: '¿No tienes cuenta?',
  hasAccount: '¿Ya tienes cuenta?',
  name: 'Nombre',
  email: 'Correo electrónico',
  password: 'Contraseña',
  passwordHint: 'Al menos 6 caracteres',
  /** Not «Mostrar contraseña»: a second name with that word would confuse with the field's own label. */
  show: 'Mostrar lo escrito',
  forgotten: '¿Olvidaste tu contraseña?',
  recoverySent: 'Te hemos enviado un correo con un enlace para cambiar tu contraseña',
  code: 'Código del correo',
  codeHint: 'En lugar de abrir el enlace, por ejemplo en otro dispositivo.',
  codeRequired: 'Escribe los números del código',
  useCode: 'Usar el código',
  newPasswordTitle: 'Nueva contraseña',
  newPasswordText: 'Elige la contraseña con la que entrarás a partir de ahora.',
  savePassword: 'Guardar contraseña',
  passwordSaved: 'Tu contraseña ha cambiado',
  sessionEnded: 'Tu sesión ha terminado. Vuelve a entrar.',
  invited: 'Tu pareja te ha invitado. Crea tu cuenta o inicia sesión para planear juntos.',
} as const

export const dashboard = {
  title: 'Tus planes',
  together: both,
  greeting: (name: string) => `Hola, ${name}`,
  printed: (names: readonly string[], month: string) => `Planes de ${both(names)} · ${month}`,
  signOut: 'Salir',
  skip: 'Saltar a la lista de actividades',
  summary: 'Resumen',
  /** A visually hidden word before the two numbers. */
  counted: 'Actividades',
  pending: 'pendientes',
  accepted: 'aceptadas',
  budget: 'Presupuesto aceptado',
  offline: 'Sin conexión',
  offlineReadOnly: 'Sin conexión no se puede proponer ni responder',
  offlineDetail: 'Ves lo último que se cargó. Se actualizará al volver la conexión.',
} as const

export const calendar = {
  previous: 'Mes anterior',
  next: 'Mes siguiente',
  today: 'Hoy',
  show: 'Ver en el calendario',
  todayWord: 'hoy',
} as const

export const activities = {
  listTitle: 'Actividades de este mes',
  empty: 'No hay actividades planeadas este mes',
  emptyHint: 'Toca un día para proponer algo',
  create: 'Nueva Actividad',
  accept: 'Aceptar',
  reject: 'Rechazar',
  remove: 'Eliminar',
  mine: 'Propuesta por ti',
  partners: 'Propuesta de tu pareja',
  proposedBy: 'Propuesta de',
  more: (title: string) => `Más acciones: ${title}`,
  readMore: 'Ver más',
  readLess: 'Ver menos',
  past: (count: number) => `Ya pasaron (${count})`,
  allPast: 'Este mes ya no queda nada por delante.',
  named: (word: string, title: string) => `${word}: ${title}`,
  before: (count: number) => `De antes, solo para ti (${count})`,
  fromBefore: 'De antes. Solo lo ves tú.',
  status: { pendiente: 'Pendiente', aceptado: 'Aceptado', rechazado: 'Rechazado' },
  total: (count: number) => `${count} ${count === 1 ? 'actividad' : 'actividades'}`,
  /** As an adjective of «actividad», for counts: [one, several]. */
  counted: {
    pendiente: ['pendiente', 'pendientes'],
    aceptado: ['aceptada', 'aceptadas'],
    rechazado: ['rechazada', 'rechazadas'],
  },
} as const

export const search = {
  action: 'Buscar',
} as const

export const settings = {
  title: 'Ajustes',
} as const

export const waiting = {
  title: 'Te toca responder',
  showAll: (count: number) => `Ver las ${count}`,
  /** Other names than the list's, whose buttons for the same plans are there too. */
  accept: (title: string) => `Aceptar la propuesta: ${title}`,
  reject: (title: string) => `Rechazar la propuesta: ${title}`,
} as const

export const upcoming = {
  title: 'Próximos planes',
  none: 'Aún no hay planes aceptados por delante.',
  until: (days: number) => (days === 0 ? 'Hoy' : days === 1 ? 'Mañana' : `Faltan ${days} días`),
} as const

export const deletion = {
  undo: 'Deshacer',
  recovered: 'Plan recuperado',
} as const

export const editing = {
  action: 'Editar',
  title: 'Editar propuesta',
  save: 'Guardar cambios',
  saved: 'Propuesta actualizada',
} as const

export const otherDate = {
  action: 'Proponer otra fecha',
  proposed: 'Has propuesto otra fecha',
  /** On the rejected plan, and on its replacement. */
  became: (date: string) => `Se propuso otra fecha: ${date}`,
  instead: (date: string) => `En lugar del ${date}`,
  becameHour: (hour: string | null) => `Se propuso otra hora: ${hour ?? 'sin hora'}`,
  insteadHour: (hour: string | null) =>
    hour ? `En lugar de ${/^0?1:/.test(hour) ? 'la' : 'las'} ${hour}` : 'Antes no tenía hora',
} as const

export const plan = {
  missing: 'Ese plan no existe o no lo compartes.',
  deleted: (name: string) => `${name} ha eliminado este plan`,
  copyLink: 'Copiar enlace',
  history: 'Historial',
  close: 'Cerrar',
  when: 'Fecha',
} as const

export const views = {
  label: 'Vistas',
  mes: 'Mes',
  semana: 'Semana',
  agenda: 'Agenda',
  ideas: 'Algún día',
} as const

export const whenAndWhere = {
  map: 'Ver en el mapa',
  repeats: {
    semanal: 'Cada semana',
    quincenal: 'Cada dos semanas',
    mensual: 'Cada mes',
    anual: 'Cada año',
  },
  day: (title: string, day: number, of: number) => `${title} (día ${day} de ${of})`,
} as const

export const conversation = {
  total: (count: number) => (count === 1 ? '1 comentario' : `${count} comentarios`),
  unread: (count: number) => `${count} sin leer`,
  reasonOf: 'Motivo de',
  myReason: 'Tu motivo',
  partner: 'tu pareja',
  why: '¿Quieres decir por qué?',
} as const

export const specialDays = {
  years: (count: number) => (count === 1 ? '1 año' : `${count} años`),
  until: (days: number) => (days === 0 ? 'Hoy' : days === 1 ? 'Mañana' : `En ${days} días`),
  spoken: (words: readonly string[]) => `fecha especial: ${words.join('; ')}`,
} as const

export const again = {
  propose: 'Volver a proponer',
  duplicate: 'Duplicar',
} as const

export const money = {
  accepted: 'Aceptado',
  pending: 'Por confirmar',
  history: 'Últimos seis meses',
  accounts: 'Cuentas del mes',
  fewMonths: 'Cuando haya dos meses con gasto veréis aquí cómo cambia.',
  month: 'Mes',
  amount: 'Gasto aceptado',
} as const

export const ics = {
  one: 'Añadir a mi calendario',
  month: 'Descargar el mes para mi calendario',
  budget: (amount: string) => `Presupuesto: ${amount}`,
  reminder: (title: string) => `Mañana: ${title}`,
} as const

export const clipboard = {
  copied: 'Copiado',
  byHand: (text: string) => `Cópialo a mano: ${text}`,
} as const

export const pwa = {
  newVersion: 'Hay una versión nueva',
  update: 'Actualizar',
} as const

export const pairing = {
  title: 'Planea con tu pareja',
  steps: [
    'Crea una invitación',
    'Envíala por donde habléis',
    'Cuando la acepte, veréis el mismo calendario',
  ],
  waiting: 'Esperando a que la acepte…',
  create: 'Crear código',
  createAnother: 'Crear otro código',
  created: 'Tu código de invitación',
  valid: (date: string) => `Sirve una vez, hasta el ${date}.`,
  copyCode: 'Copiar código',
  copyLink: 'Copiar enlace',
  share: 'Compartir',
  shareText: 'Planea conmigo en Planes en Pareja',
  haveCode: '¿Te han pasado un código?',
  code: 'Código de tu pareja',
  look: 'Ver invitación',
  alreadyPaired: 'Ya compartes el calendario con tu pareja',
  badLink: 'El enlace de invitación está incompleto',
  joined: (name: string) => `Ya planeas con ${name}`,
  rejoined: (name: string) => `Vuelves a planear con ${name}`,
  somebody: 'tu pareja',
  unlinked: 'Ya no compartís el calendario',
} as const
