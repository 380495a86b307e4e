-- Which functions clients may call. Public functions are born callable by every API role (the
-- platform's default privileges), so the right is taken from all and given to the signed-in.

comment on function public.crear_invitacion() is
  'A fresh invitation, {codigo, caduca_en}; the one made before stops working. codigo has eight '
  'symbols, shown as XXXX-XXXX.';
comment on function public.ver_invitacion(text) is
  'Who invites with this code: {nombre}. The code may be typed with dash, blanks, lower case.';
comment on function public.aceptar_invitacion(text) is
  'Makes the caller and the inviter a couple: {pareja_id}. Activities that still carry their '
  'creator''s own id become the couple''s.';
comment on function public.desvincular_pareja() is
  'Ends the caller''s couple. Everybody keeps what they created, and nobody else sees it any more.';

revoke execute on function
  public.crear_invitacion(),
  public.ver_invitacion(text),
  public.aceptar_invitacion(text),
  public.desvincular_pareja()
  from public, anon;
grant execute on function
  public.crear_invitacion(),
  public.ver_invitacion(text),
  public.aceptar_invitacion(text),
  public.desvincular_pareja()
  to authenticated, service_role;
revoke execute on function planes.yo(), planes.invitacion_valida(text) from public;
