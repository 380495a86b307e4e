-- What tools show of tables and functions, in plain words.

comment on schema planes is 'Internals of the planner; not exposed to clients.';

comment on table public.parejas is
  'Couples: two people, present or former. Accessible through functions only.';
comment on column public.parejas.personas is 'How many profiles have this id: two at most.';
comment on column public.parejas.persona_a is 'The smaller of the two user ids.';
comment on column public.parejas.terminada_en is 'When the pairing ended; null while it lasts.';
comment on function public.aceptar_invitacion(text) is
  'Makes the caller and the inviter a couple, or renews their former one: {pareja_id, vuelven}. Activities '
  'with their creator''s own id get the couple''s.';

comment on column public.actividades.estado is 'pendiente, then finally aceptado or rechazado.';
comment on column public.actividades.origen_id is
  'The proposal that this one replaces, with another date.';
comment on column public.actividades.serie_id is
  'The series: plans that were proposed together, one for each date. The id is chosen by the client.';
comment on column public.historial.que is
  'A new state, or propuesto, editado, recuperado; pendiente where an acceptance was removed.';
comment on function public.mis_borrados() is
  'What the caller deleted in the last thirty days, newest first: [{id, titulo, fecha, borrado_en}].';
comment on function public.vaciar_papelera() is 'Deletes for good what is in the caller''s trash.';

comment on table public.ideas is
  'Proposals without a date, 500 a couple. Their ids are chosen by the client.';
comment on column public.ideas.pareja_id is
  'The couple at creation, or the creator''s own id while unpaired; pairing changes it.';
comment on table public.apetencias is 'Who likes which idea.';
comment on column public.apetencias.creador_id is 'The idea''s creator.';
comment on function public.me_apetece(uuid, boolean) is 'Sets whether the caller likes an idea.';

comment on table public.comentarios is 'Comments on plans. Their ids are chosen by the client.';
comment on column public.comentarios.motivo is 'Whether it says why the plan was rejected.';
comment on table public.lecturas is 'Until when a person has read the comments on a plan.';
comment on function public.comentar(uuid, uuid, text, boolean) is
  'Adds a comment to a common plan; the same id again is the same comment. 500 a plan, 30 a minute.';
comment on function public.marcar_leido(uuid) is
  'Marks the comments on a plan as read by the caller.';
comment on function public.reaccionar(uuid, text) is
  'Sets the caller''s reaction to a common plan; the same again removes it.';
comment on function public.recuperar_comentario(uuid) is
  'Restores a comment of the caller''s within an hour of its deletion, while its plan is common.';
comment on table planes.comentarios_borrados is
  'Deleted comments, which their authors can restore for an hour; the next deletion removes older ones.';

comment on table public.fechas_especiales is 'Special days of a couple (anniversaries), 20 at most.';

comment on table public.pagos is
  'Payments for accepted plans, 20 a plan. Their ids are chosen by the client.';
comment on column public.pagos.parte is 'The payer''s own share in percent; the rest is the partner''s.';
comment on column public.pagos.anotado_por is 'Who changed it last.';
comment on table public.liquidaciones is
  'Months that a couple has settled. Until a settlement is annulled, the month''s payments cannot change.';
comment on column public.liquidaciones.mes is 'YYYY-MM.';
comment on column public.liquidaciones.de is 'The debtor.';
comment on column public.liquidaciones.a is 'The creditor.';
comment on function public.saldar(uuid, text, bigint) is
  'Settles a month if the amount that is owed is still the one that the caller saw, in cents; repeating it '
  'changes nothing.';
comment on function public.anular_saldo(uuid) is 'Reopens a settled month.';

comment on table public.recuerdos is
  'Photos of a couple''s plans, 30 a plan and 500 MB a couple. Their ids are chosen by the client.';
comment on column public.recuerdos.pareja_id is
  'The couple that it belongs to, for ever. No foreign key: whoever took a photo keeps it when the other''s '
  'account is deleted.';
comment on column public.recuerdos.ruta is
  'The path of its file in the bucket recuerdos, in the couple''s folder.';
comment on column public.recuerdos.miniatura is 'The path of its thumbnail of at most 320 pixels.';
comment on column public.recuerdos.bytes is
  'The size of both files; before the upload the announced size.';
comment on column public.recuerdos.texto is 'Its author''s caption, at most 200 characters.';
comment on column public.recuerdos.subido_en is 'When both files were uploaded; null before.';
comment on function public.describir_recuerdo(uuid, text) is
  'Sets the caption of the caller''s photo, at most 200 characters; a blank one removes it.';
comment on function public.terminar_recuerdo(uuid) is
  'Marks the caller''s photo as uploaded, with both files: the partner sees it from now on.';
comment on table planes.recuerdos_borrados is
  'Deleted photos whose files still exist: for ten minutes, or while their plan is in the trash.';
comment on column planes.recuerdos_borrados.con_plan is
  'Whether it was deleted with its plan, and is restored with it.';

comment on table planes.dispositivos is 'Devices that get push messages, ten a person.';
comment on column planes.dispositivos.endpoint is
  'The URL of the Push API; whoever knows it can send there.';
comment on column planes.dispositivos.silencio_desde is
  'When the quiet hours begin, in the zone; null for none.';
comment on function public.registrar_dispositivo(text, text, text, text, text) is
  'Registers a device of the caller''s for push messages: {id}. Ten a person, the oldest is removed.';
comment on function public.quitar_dispositivo(uuid) is
  'Removes a device of the caller''s; messages that wait for it are not sent.';
comment on table planes.ajustes is 'Settings of a person''s reminders, made with the first device.';
comment on column planes.ajustes.zona is 'The time zone of the device that was registered last.';
comment on column planes.ajustes.ficha is 'A token that can end the mails, and nothing else.';
comment on function public.baja_correo(text) is
  'Ends the reminders by mail of the owner of the token; needs no sign-in (RFC 8058).';

comment on table recados.cola is 'The queue of messages, used by functions and the job service only.';
comment on column recados.cola.clave is 'Of two messages with one key, only the first is queued.';
comment on column recados.cola.tomado_en is
  'When a service took it for delivery: before it is sent, so that nothing is sent twice.';
comment on function recados.tomar(integer) is
  'Takes messages that are due; those that expired or were taken five minutes ago are marked as failed.';
comment on function recados.aplazado(bigint, double precision, text) is
  'Makes a taken message due again in so many seconds.';
comment on function recados.entregado(bigint) is 'Marks a taken message as delivered.';
comment on function recados.fallido(bigint, text) is 'Marks a taken message as failed for good.';
comment on function recados.limpiar() is 'Deletes messages older than a week.';
comment on function recados.siguiente() is
  'Seconds until a message or a function is due; null where there is none.';
comment on column recados.tareas.ultima is 'When it was last called.';
comment on column recados.tareas.fallo is 'The error of the last call; null where it succeeded.';
